#include "recloser/sim/observed.h"

#include <algorithm>

#include "account.h"
#include "fault_timeline.h"
#include "load_profile.h"
#include "recloser/core/random.h"
#include "worth.h"

namespace recloser::sim {
namespace {

constexpr Time kOrigin{std::chrono::hours(1)};

Time At(Duration d) { return SaturatingAdd(kOrigin, d); }

bool IsMeasured(Duration d) { return d >= Duration::zero(); }

}  // namespace

Figures FiguresOf(const Scenario& scenario, const Observed& observed) {
  const Service& service = scenario.services.front();
  Random nothing_to_draw(0);
  const std::vector<FaultInterval> intervals = DrawIntervals(service.faults, kOrigin, &nothing_to_draw);
  FaultTimeline timeline(intervals, 0, service.background_errors);
  const LoadProfile load(scenario.load, At(-scenario.warm_up), kOrigin, At(scenario.length));
  Account account(kOrigin, scenario.length, SpanOf(intervals), 1, Duration::zero());

  for (const Observed::Call& call : observed.calls) {
    if (!IsMeasured(call.arrived)) continue;
    account.OnCallStarted(At(call.arrived), /*by_client=*/true);
    account.OnClientCallEnded(At(call.arrived), At(call.ended), call.ok && call.ended - call.arrived <= scenario.calls.slo);
  }
  for (const Duration attempt : observed.attempts) {
    if (IsMeasured(attempt)) account.OnAttemptStarted(At(attempt));
  }
  std::vector<Duration> rejections = observed.rejections;
  std::sort(rejections.begin(), rejections.end());  // the timeline is read forwards
  for (const Duration rejection : rejections) {
    if (!IsMeasured(rejection)) continue;
    const Time now = At(rejection);
    account.OnCallRejected(now, EndpointWorth(service, timeline.At(now), load.RateAt(now), scenario.calls.slo));
  }
  for (const Observed::Transition& seen : observed.transitions) {
    BreakerTransition transition;
    transition.at = At(seen.at);
    transition.from = seen.from;
    transition.to = seen.to;
    account.OnTransition(0, transition, /*counts_for_time_to_open=*/!service.faults.empty());
  }
  Figures figures = account.Finish(/*invariant_violations=*/0);
  // A call that was good had exactly one attempt that was; the others, and all of other calls, were wasted, save what all arms pay.
  figures.wasted = figures.attempts - figures.good - std::count_if(observed.excused.begin(), observed.excused.end(), IsMeasured);
  return figures;
}

}  // namespace recloser::sim
