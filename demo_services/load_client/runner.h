// The load itself: arrivals by the clock, calls that nobody waits for, and an end that always comes.
#ifndef RECLOSER_DEMO_SERVICES_LOAD_CLIENT_RUNNER_H_
#define RECLOSER_DEMO_SERVICES_LOAD_CLIENT_RUNNER_H_

#include <functional>
#include <memory>
#include <optional>

#include "demo_services/common/interrupt.h"
#include "demo_services/load_client/options.h"
#include "demo_services/load_client/recorder.h"

namespace recloser::demo {

struct LoadEnd {
  Duration elapsed = Duration::zero();   // from the start to the last answer
  Duration late_p99 = Duration::zero();  // how far the arrivals were behind their schedule
  Duration late_max = Duration::zero();
  bool interrupted = false;
  /// Calls that did not end, not even long after their deadline and a cancellation: a fault of the client. The process can't go on then but
  /// to exit at once, for they still use what the run was given.
  std::size_t not_ended = 0;
};

/// The next arrival, counted from the start of the load; nothing after the last one.
using Arrivals = std::function<std::optional<Duration>()>;

/// Those of a Poisson process of the options' rate, duration and seed.
Arrivals PoissonArrivalsOf(const LoadOptions& options);

/// Plays the load from `start` on. Returns when every call has ended: at the latest some seconds after the last call's deadline. When
/// `interrupt` is requested no call arrives any more and those in flight are cancelled.
LoadEnd RunLoad(const LoadOptions& options, const Arrivals& arrivals, const std::shared_ptr<grpc::ChannelInterface>& channel,
                SteadyTime start, const Interrupt& interrupt, Recorder* recorder);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_LOAD_CLIENT_RUNNER_H_
