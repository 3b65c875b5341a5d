#include "demo_services/load_client/runner.h"

#include <grpc/support/time.h>

#include <algorithm>
#include <string>

#include "demo_services/common/histogram.h"
#include "demo_services/load_client/arrivals.h"
#include "demo_services/load_client/in_flight.h"
#include "recloser/rejection.h"

namespace recloser::demo {
namespace {

using std::chrono::steady_clock;

// Beyond a call's own deadline, for gRPC to say so, and again for a cancellation to be felt.
constexpr auto kPatience = std::chrono::seconds(3);

// On the monotonic clock: a step of the wall clock changes nothing.
gpr_timespec DeadlineIn(Duration duration) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_nanos(duration.count(), GPR_TIMESPAN));
}

class Load {
 public:
  Load(const LoadOptions& options, const std::shared_ptr<grpc::ChannelInterface>& channel, Recorder* recorder)
      : options_(options),
        recorder_(recorder),
        payload_(static_cast<std::size_t>(options.payload_bytes), 'x'),
        caller_(MakeCaller(options.api, channel,
                           [this](const std::shared_ptr<Call>& call, const grpc::Status& status) { OnEnded(*call, status); })) {}

  void Arrive(SteadyTime arrival) {
    if (in_flight_.size() >= static_cast<std::size_t>(options_.max_outstanding)) {
      recorder_->OnNotSent(arrival);
      return;
    }
    std::shared_ptr<Call> call = in_flight_.Make();
    call->arrival = arrival;
    call->context.set_deadline(DeadlineIn(options_.CallDeadline()));
    call->request.set_payload(payload_);
    recorder_->OnSent();
    if (options_.arm.arm == Arm::kNone) recorder_->OnAttempt(steady_clock::now());
    caller_->Start(std::move(call));
  }

  /// True when every call has ended.
  bool Drain(const Interrupt& interrupt) {
    const SteadyTime last = steady_clock::now() + options_.CallDeadline() + kPatience;
    while (!interrupt.requested() && steady_clock::now() < last) {
      if (in_flight_.WaitUntilEmpty(std::min(last, steady_clock::now() + std::chrono::milliseconds(50)))) return true;
    }
    in_flight_.CancelAll();
    return in_flight_.WaitUntilEmpty(steady_clock::now() + kPatience);
  }

  std::size_t outstanding() const { return in_flight_.size(); }

 private:
  void OnEnded(const Call& call, const grpc::Status& status) {
    CallEnd end;
    end.arrival = call.arrival;
    end.end = steady_clock::now();
    end.code = status.error_code();
    end.rejected = !status.ok() && GetRejection(call.context).has_value();
    recorder_->OnEnded(end);
  }

  const LoadOptions& options_;
  Recorder* const recorder_;
  const std::string payload_;
  InFlight in_flight_;
  const std::unique_ptr<Caller> caller_;
};

}  // namespace

Arrivals PoissonArrivalsOf(const LoadOptions& options) {
  return [arrivals = PoissonArrivals(options.rate, options.seed), duration = options.duration]() mutable -> std::optional<Duration> {
    const Duration next = arrivals.Next();
    return next < duration ? std::optional<Duration>(next) : std::nullopt;
  };
}

LoadEnd RunLoad(const LoadOptions& options, const Arrivals& arrivals, const std::shared_ptr<grpc::ChannelInterface>& channel,
                SteadyTime start, const Interrupt& interrupt, Recorder* recorder) {
  auto load = std::make_unique<Load>(options, channel, recorder);
  LoadEnd end;
  LatencyHistogram late;
  for (std::optional<Duration> at = arrivals(); at.has_value(); at = arrivals()) {
    const SteadyTime arrival = start + *at;
    if (interrupt.WaitUntil(arrival)) break;
    late.Add(steady_clock::now() - arrival);
    load->Arrive(arrival);
  }
  const bool drained = load->Drain(interrupt);
  end.elapsed = steady_clock::now() - start;
  end.late_p99 = late.Quantile(0.99);
  end.late_max = late.max();
  end.interrupted = interrupt.requested();
  if (!drained) end.not_ended = load.release()->outstanding();
  return end;
}

}  // namespace recloser::demo
