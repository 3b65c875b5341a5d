// How late this process gets a processor: a thread that wants to run every few milliseconds, and measures by how much it is late.
//
// What is measured beside a high lag tells of the machine as much as of what was to be measured.
//
//   LagMeter meter;
//   ...
//   Lag lag = meter.Stop();
//
// Thread safety: none.
#ifndef RECLOSER_DEMO_SERVICES_COMMON_LAG_METER_H_
#define RECLOSER_DEMO_SERVICES_COMMON_LAG_METER_H_

#include <thread>

#include "demo_services/common/histogram.h"
#include "demo_services/common/interrupt.h"
#include "recloser/core/time.h"

namespace recloser::demo {

struct Lag {
  Duration p99 = Duration::zero();
  Duration max = Duration::zero();
};

class LagMeter {
 public:
  LagMeter();
  ~LagMeter() { Stop(); }
  LagMeter(const LagMeter&) = delete;
  LagMeter& operator=(const LagMeter&) = delete;

  /// Ends the measurement; the same again when it has ended.
  Lag Stop();

 private:
  void Run();

  Interrupt stop_;
  LatencyHistogram lags_;  // the thread's until it has ended
  std::thread thread_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_COMMON_LAG_METER_H_
