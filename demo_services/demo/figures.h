// One row of the demo's table, judged from the trace of an arm. Pure: the same trace and timeline, the same row.
//
// | figure                   | definition                                                                                           |
// | goodput_percent          | OK within the SLO / all calls that arrived                                                           |
// | p50_ms, p99_ms           | from scheduled arrival to the end, all calls sent, whatever came back                                |
// | attempts_per_call        | attempts / calls sent; on a bare channel every call is an attempt                                    |
// | attempts_on_dead_service | attempts begun while the service was blackholed or its process dead                                  |
// | good_calls_refused       | calls that ended in a breaker's rejection, each weighted with `Timeline::Answerable` when it ended   |
// | reclose_seconds          | from the restarted process being ready to the breaker's last closing; 0 if that was before           |
#ifndef RECLOSER_DEMO_SERVICES_DEMO_FIGURES_H_
#define RECLOSER_DEMO_SERVICES_DEMO_FIGURES_H_

#include "demo_services/demo/timeline.h"
#include "demo_services/load_client/arms.h"
#include "recloser/demo/v1/report.pb.h"

namespace recloser::demo {

v1::ArmFigures Judge(Arm arm, const v1::LoadTrace& trace, const Timeline& timeline, Duration slo, double offered_rate);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_DEMO_FIGURES_H_
