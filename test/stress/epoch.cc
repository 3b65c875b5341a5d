#include "epoch.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "blocking_callers.h"
#include "callers.h"
#include "live_call.h"
#include "oracle.h"
#include "outcome.h"
#include "service.h"
#include "timers.h"
#include "world.h"

namespace recloser::stress {
namespace {

/// Keeps the number of calls in flight, and waits for them with a limit: a run that hangs says so and ends the process.
class InFlight {
 public:
  /// `on_hang` says more of the calls that do not end.
  explicit InFlight(std::function<void()> on_hang) : on_hang_(std::move(on_hang)) {}
  void Begin(int limit) {
    std::unique_lock<std::mutex> lock(mutex_);
    Await(lock, limit - 1);
    ++calls_;
  }
  void End() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --calls_;
    changed_.notify_one();
  }
  void AwaitNone() {
    std::unique_lock<std::mutex> lock(mutex_);
    Await(lock, 0);
  }

 private:
  void Await(std::unique_lock<std::mutex>& lock, int limit) {
    while (calls_ > limit) {
      const int before = calls_;
      if (changed_.wait_for(lock, std::chrono::seconds(60)) == std::cv_status::timeout && calls_ == before) {
        std::fprintf(stderr, "grpc_stress: no call has ended for 60 s, %d are in flight\n", calls_);
        on_hang_();
        std::abort();
      }
    }
  }

  const std::function<void()> on_hang_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int calls_ = 0;
};

class Epoch {
 public:
  explicit Epoch(const EpochPlan& plan)
      : plan_(plan), random_(plan.seed), arrivals_(plan.calls), outcomes_(static_cast<std::size_t>(plan.calls)) {
    calls_.reserve(static_cast<std::size_t>(plan.calls));
    for (int id = 0; id < plan.calls; ++id) calls_.push_back(DrawCall(plan, id));
  }

  EpochReport Run() {
    {
      Timers timers;
      Service service(calls_, arrivals_, timers);
      World world(plan_, service.target());
      MakeCalls(service, world, timers);
      if (plan_.releases_early) world.Release(random_);
      in_flight_.AwaitNone();
      service.Stop();
      if (!plan_.releases_early) report_.faults = world.FaultsAtRest();
      JudgeTotals(world);
      report_.meddled = world.meddled();
      world.Release(random_);
    }
    JudgeCalls();
    return std::move(report_);
  }

 private:
  void MakeCalls(Service& service, World& world, Timers& timers) {
    BlockingCallers blocking(4);
    PolledQueue streams;  // a stream begins one operation after the other, so this queue lives as long as they do
    std::vector<std::unique_ptr<PolledQueue>> queues;
    queues.push_back(std::make_unique<PolledQueue>());
    bool up = true;
    for (int id = 0; id < plan_.calls; ++id) {
      in_flight_.Begin(plan_.in_flight);
      world.Meddle(random_);
      if (plan_.restarts && Chance(random_, up ? 0.002 : 0.05)) {
        up ? service.Stop() : service.Start();
        up = !up;
        ++report_.restarts;
      }
      if (Chance(random_, 0.005)) {
        queues.back()->Shutdown();
        queues.push_back(std::make_unique<PolledQueue>());
        ++report_.queues_shut;
      }
      const auto index = static_cast<std::size_t>(id);
      auto call = std::make_shared<LiveCall>(id, calls_[index], outcomes_[index], released_);
      if (call->plan.api == Api::kSync) {
        blocking.Post([call = std::move(call), stubs = world.stubs(id), &timers]() mutable {
          call->Prepare(timers);
          CallBlocking(std::exchange(call, nullptr), *std::exchange(stubs, nullptr));
        });
        continue;
      }
      call->Prepare(timers);
      const std::shared_ptr<Stubs> stubs = world.stubs(id);
      if (IsUnary(call->plan.method)) {
        BeginUnary(std::move(call), *stubs, queues.back()->get());
      } else {
        BeginStream(std::move(call), *stubs, streams.get());
      }
    }
    if (!up) service.Start();
    if (plan_.releases_early) world.Release(random_);
    in_flight_.AwaitNone();
  }

  void JudgeTotals(const World& world) {
    const Counters& counted = world.counters();
    const auto expect = [this](bool holds, const std::string& otherwise) {
      if (!holds) report_.faults.push_back(otherwise);
    };
    std::int64_t told = 0;  // attempts, as the callers were told
    std::int64_t without = 0;
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      if (outcomes_[i].dropped) {
        ++report_.dropped;
      } else {
        told += outcomes_[i].attempts;
        without += outcomes_[i].attempts == 0 ? 1 : 0;
      }
    }
    report_.attempts = counted.attempts_started;
    expect(counted.calls_started == plan_.calls, absl::StrCat(counted.calls_started.load(), " calls started of ", plan_.calls));
    expect(counted.calls_finished == plan_.calls, absl::StrCat(counted.calls_finished.load(), " calls finished of ", plan_.calls));
    expect(counted.attempts_started == counted.attempts_finished,
           absl::StrCat(counted.attempts_started.load(), " attempts started, ", counted.attempts_finished.load(), " finished"));
    expect(
        counted.attempts_started == counted.attempts_of_finished_calls,
        absl::StrCat(counted.attempts_started.load(), " attempts started, ", counted.attempts_of_finished_calls.load(), " in all calls"));
    // A dropped stream was told nothing. It had no attempt when it was refused, several when it was retried, else one.
    const std::int64_t dropped_without = counted.calls_without_attempt - without;
    const std::int64_t least = told + report_.dropped - dropped_without;
    const std::int64_t most = plan_.retries_streams() ? least + report_.dropped * (kMostAttempts - 1) : least;
    expect(least <= counted.attempts_started && counted.attempts_started <= most,
           absl::StrCat("observers count ", counted.attempts_started.load(), " attempts, callers ", told, " and ", report_.dropped,
                        " dropped streams, of them refused ", dropped_without));
    if (plan_.foreign_inside) {
      expect(world.foreign_attempts() == counted.attempts_started,
             absl::StrCat("interceptors behind ours saw ", world.foreign_attempts(), " attempts of ", counted.attempts_started.load()));
    }
    expect(arrivals_.strays() == 0, absl::StrCat(arrivals_.strays(), " attempts reached the service twice"));
  }

  void JudgeCalls() {
    report_.calls = plan_.calls;
    for (int id = 0; id < plan_.calls; ++id) {
      const auto index = static_cast<std::size_t>(id);
      const CallPlan& call = calls_[index];
      const CallOutcome& outcome = outcomes_[index];
      const std::uint32_t reached = arrivals_.of(id);
      const std::string fault = Judge(plan_, id, call, outcome, reached);
      if (!fault.empty()) report_.faults.push_back(absl::StrCat(Describe(id, call, outcome), ": ", fault));
      const Excuses excuses = ExcusesOf(plan_, call, outcome);
      ++report_.by_form[static_cast<std::size_t>(call.method)][static_cast<std::size_t>(call.api)];
      report_.reached += __builtin_popcount(reached);
      report_.recovered += outcome.attempts > 1 && outcome.code == grpc::StatusCode::OK ? 1 : 0;
      report_.rejected += outcome.rejected ? 1 : 0;
      report_.cancelled += outcome.cancelled ? 1 : 0;
      report_.exact += ExactAttempts(plan_, call, excuses) > 0 && !outcome.dropped ? 1 : 0;
      report_.unexcused += !excuses.any() && !outcome.rejected ? 1 : 0;
      if (!outcome.dropped && outcome.code >= 0 && outcome.code < 17) ++report_.by_code[static_cast<std::size_t>(outcome.code)];
    }
  }

  void PrintUnfinished() const {
    std::fprintf(stderr, "grpc_stress: epoch %llu, which came with seed %llu\n", static_cast<unsigned long long>(plan_.number),
                 static_cast<unsigned long long>(plan_.run_seed));
    for (std::size_t id = 0; id < outcomes_.size(); ++id) {
      const CallOutcome& outcome = outcomes_[id];
      if (outcome.started == 0 || outcome.released) continue;
      std::fprintf(stderr, "grpc_stress: call %zu (%s, %s): completed %d times, reached %u, cancelled %d\n", id,
                   MethodName(calls_[id].method), ApiName(calls_[id].api), outcome.completions.load(), arrivals_.of(static_cast<int>(id)),
                   outcome.cancelled ? 1 : 0);
    }
  }

  static std::string Describe(int id, const CallPlan& call, const CallOutcome& outcome) {
    return absl::StrCat("call ", id, " (", MethodName(call.method), ", ", ApiName(call.api), outcome.cancelled ? ", cancelled" : "",
                        call.deadline ? ", with a deadline" : "", "): code ", static_cast<int>(outcome.code), " '", outcome.message,
                        "', header '", outcome.header_mark, "', trailer '", outcome.trailer_mark, "', ", outcome.attempts, " attempts, ",
                        outcome.messages, " messages");
  }

  const EpochPlan& plan_;
  Random random_;
  std::vector<CallPlan> calls_;
  Arrivals arrivals_;
  std::vector<CallOutcome> outcomes_;
  InFlight in_flight_{[this] { PrintUnfinished(); }};
  const std::function<void()> released_ = [this] { in_flight_.End(); };
  EpochReport report_;
};

}  // namespace

void EpochReport::Add(const EpochReport& other) {
  calls += other.calls;
  for (std::size_t i = 0; i < by_form.size(); ++i) {
    for (std::size_t j = 0; j < by_form[i].size(); ++j) by_form[i][j] += other.by_form[i][j];
  }
  for (std::size_t i = 0; i < by_code.size(); ++i) by_code[i] += other.by_code[i];
  attempts += other.attempts;
  reached += other.reached;
  recovered += other.recovered;
  rejected += other.rejected;
  cancelled += other.cancelled;
  dropped += other.dropped;
  exact += other.exact;
  unexcused += other.unexcused;
  restarts += other.restarts;
  meddled += other.meddled;
  queues_shut += other.queues_shut;
  faults.insert(faults.end(), other.faults.begin(), other.faults.end());
}

EpochReport RunEpoch(const EpochPlan& plan) { return Epoch(plan).Run(); }

}  // namespace recloser::stress
