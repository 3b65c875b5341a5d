// The healthy lane of a shared breaker can't be told from its absence: the same operations on a breaker with it and on one without it (a
// machine that somebody watches has none) give the same answers, the same events and the same numbers, to the last bit.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "breaker_driver.h"
#include "pick.h"
#include "recloser/core/shared_breaker.h"

namespace recloser {
namespace {

/// A machine that somebody watches: it must see each attempt as it happens.
class Watched final : public CircuitBreaker {
 private:
  /// What the machine has to tell is this one's to tell.
  template <class Function>
  auto Told(Function&& function) {
    struct Taker {
      ~Taker() {
        for (BreakerTransition& t : watched->machine_->TakeTransitions()) watched->transitions_.push_back(std::move(t));
      }
      Watched* watched;
    } const taker{this};
    return function();
  }

 public:
  explicit Watched(std::unique_ptr<CircuitBreaker> machine) : machine_(std::move(machine)) {}
  Admission TryAcquire(Time now, const AttemptInfo& info) override {
    return Told([&] { return machine_->TryAcquire(now, info); });
  }
  Outcome Record(const Permit& permit, Time now, const AttemptResult& result) override {
    return Told([&] { return machine_->Record(permit, now, result); });
  }
  void Drop(const Permit& permit, Time now) override {
    Told([&] { machine_->Drop(permit, now); });
  }
  void StreamStarted(const Permit& permit, Time now) override {
    Told([&] { machine_->StreamStarted(permit, now); });
  }
  void FreshEvidence(Time now) override {
    Told([&] { machine_->FreshEvidence(now); });
  }
  void ForceOpen(Time now) override {
    Told([&] { machine_->ForceOpen(now); });
  }
  void Disable(Time now) override {
    Told([&] { machine_->Disable(now); });
  }
  void Reset(Time now) override {
    Told([&] { machine_->Reset(now); });
  }
  bool Reconfigure(const BreakerOptions& options, Time now) override {
    return Told([&] { return machine_->Reconfigure(options, now); });
  }
  void TakeOver(const BreakerSnapshot& before, Time now) override {
    Told([&] { machine_->TakeOver(before, now); });
  }
  std::optional<Duration> healthy_latency() const override { return machine_->healthy_latency(); }
  Duration slow_call_duration() const override { return machine_->slow_call_duration(); }
  BreakerState state() const override { return machine_->state(); }
  BreakerSnapshot Snapshot(Time now) const override { return machine_->Snapshot(now); }

 private:
  std::unique_ptr<CircuitBreaker> machine_;
};

std::unique_ptr<CircuitBreaker> MakeWatched(const BreakerId&, const BreakerOptions& options, Time now, const Random& random) {
  return std::make_unique<Watched>(MakeBreaker(options, now, random));
}

/// Everything in it, numbers to the last bit.
std::string Text(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return absl::StrCat(value, "=", absl::Hex(bits));
}
std::string Text(const std::optional<double>& value) { return value.has_value() ? Text(*value) : "-"; }
std::string Text(const std::optional<Duration>& value) { return value.has_value() ? absl::StrCat(value->count()) : "-"; }
std::string Text(const std::vector<std::pair<std::string, double>>& values) {
  std::string text;
  for (const auto& [name, value] : values) absl::StrAppend(&text, name, ":", Text(value), " ");
  return text;
}
std::int64_t Count(Time t) { return t.time_since_epoch().count(); }

std::string Text(const BreakerSnapshot& s) {
  std::string text =
      absl::StrCat(StateName(s.state), " generation ", s.generation, " since ", Count(s.since), " share ", Text(s.admitted_share),
                   " retry after ", s.retry_after.count(), " window ", s.window_calls, " span ", s.window_span.count(), " rate ",
                   Text(s.offered_rate), " rating ", Text(s.rating), " scores ", Text(s.scores));
  absl::StrAppend(&text, " evidence ", Text(s.evidence), " of ", Text(s.evidence_limit), " healthy ", Text(s.healthy_latency),
                  " in flight ", s.permits_in_flight, " probes ", s.probes_in_flight, " rejected ", s.rejected, " stale ", s.stale_results,
                  " leases ", s.leases_expired, " anomalies ", s.clock_anomalies, " violations ", s.invariant_violations);
  for (const std::uint64_t probes : s.probes) absl::StrAppend(&text, " ", probes);
  for (const Duration d : s.time_in_state) absl::StrAppend(&text, " ", d.count());
  return text;
}

std::string Text(const BreakerTransition& t) {
  return absl::StrCat(Explain(t), " at ", Count(t.at), " generation ", t.generation, " rate ", Text(t.offered_rate), " calls ",
                      t.context_calls, " rating ", Text(t.rating), " evidence ", Text(t.evidence), " scores ", Text(t.scores), " healthy ",
                      Text(t.healthy_latency));
}

std::string Text(const Admission& a) {
  return absl::StrCat(a.admitted, a.would_reject, a.permit.id != 0, a.permit.probe, a.permit.shadow, " generation ", a.permit.generation,
                      " ", StateName(a.rejection.state), " ", a.rejection.retry_after.count());
}

struct Told {
  std::shared_ptr<SharedBreaker> breaker;
  std::shared_ptr<std::vector<std::string>> events = std::make_shared<std::vector<std::string>>();
};

Told MakeTold(const BreakerOptions& options, const BreakerMaker& maker) {
  Told told;
  const BreakerId id{"t", "s.S", "M"};
  auto machine = maker ? maker(id, options, kDriversBegin, Random(5)) : MakeBreaker(options, kDriversBegin, Random(5));
  told.breaker = std::make_shared<SharedBreaker>(
      id, options, std::move(machine), kDriversBegin,
      [events = told.events](const SharedBreaker&, const BreakerTransition& t) { events->push_back(Text(t)); }, maker);
  return told;
}

/// Threads that do one thing at a time, in turn.
class Workers {
 public:
  explicit Workers(int count) : done_(count, true) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this, i] { Work(i); });
  }
  ~Workers() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  int count() const { return static_cast<int>(threads_.size()); }
  void Run(int worker, const std::function<void()>& task) {
    std::unique_lock<std::mutex> lock(mutex_);
    task_ = &task;
    done_[worker] = false;
    changed_.notify_all();
    changed_.wait(lock, [&] { return done_[worker]; });
  }

 private:
  void Work(int worker) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stop_ || !done_[worker]; });
      if (stop_) return;
      (*task_)();
      done_[worker] = true;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* task_ = nullptr;
  std::vector<bool> done_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

/// One breaker with a lane and one without; everything is done to both.
class Pair {
 public:
  /// `workers`: null for all in this thread.
  Pair(const BreakerOptions& options, Workers* workers)
      : options_(options), workers_(workers), lane_(MakeTold(options, nullptr)), plain_(MakeTold(options, MakeWatched)) {}

  void Step() {
    Pause();
    const int dice = Pick(0, 1000);
    if (dice < 500) return Acquire();
    if (dice < 940) return GiveBack();
    if (dice < 950) return Compare();
    if (dice < 960) return Burst();
    if (dice < 964) return Both([&](SharedBreaker& b) { b.FreshEvidence(now_); });
    if (dice < 967) return Both([&](SharedBreaker& b) { b.Reset(now_); });
    if (dice < 969) return Both([&](SharedBreaker& b) { b.ForceOpen(now_); });
    if (dice < 971) return Both([&](SharedBreaker& b) { b.Disable(now_); });
    if (dice < 976) return Reconfigure();
    if (dice < 980) now_ -= seconds(2);
    if (dice < 990) now_ += milliseconds(Pick(0, 700));
    if (dice < 992) now_ += seconds(Pick(0, 60));
  }

  void End() {
    while (!out_.empty()) {
      Pause();
      GiveBack();
    }
    Compare();
    RC_ASSERT(lane_.breaker->Snapshot(now_).permits_in_flight <= lost_);
  }
  int noted() const { return noted_; }

 private:
  struct Out {
    Permit lane;
    Permit plain;
  };

  void Pause() {
    // Threads see of each other what is a millisecond old.
    const std::int64_t least = workers_ == nullptr ? 0 : 1000;
    const int dice = Pick(0, 20);
    now_ += microseconds(least + (dice == 0 ? Pick(0, 60000) : dice < 5 ? Pick(0, 2000) : Pick(0, 50)));
    if (workers_ == nullptr && dice == 19) now_ -= microseconds(Pick(0, 300));
  }

  void Both(const std::function<void(SharedBreaker&)>& act) {
    const std::function<void()> task = [&] {
      act(*lane_.breaker);
      act(*plain_.breaker);
    };
    workers_ == nullptr ? task() : workers_->Run(Pick(0, workers_->count()), task);
    RC_ASSERT(lane_.breaker->state() == plain_.breaker->state());
    RC_ASSERT(*lane_.events == *plain_.events);
  }

  void Acquire() {
    AttemptInfo info;
    info.streaming = Pick(0, 30) == 0;
    info.hypothetical = Pick(0, 60) == 0;
    std::vector<Admission> got;
    Both([&](SharedBreaker& b) { got.push_back(b.TryAcquire(now_, info)); });
    RC_ASSERT(Text(got[0]) == Text(got[1]));
    if (got[0].permit.lane) ++noted_;
    if (got[0].admitted && got[0].permit.id != 0) out_.push_back({got[0].permit, got[1].permit});
  }

  AttemptResult AnyResult() {
    const int dice = Pick(0, bad_ ? 12 : 120);
    if (dice < 6) return Unavailable();
    if (dice == 6) return CancelledByCaller();
    if (dice == 7) return Ended(absl::StatusCode::kNotFound);
    if (dice == 8) return Ended(absl::StatusCode::kDeadlineExceeded);
    AttemptResult result = Ok();
    if (dice == 9) result.has_response = false;
    if (dice == 10) result.outcome_by_hook = Outcome::kFailure;
    return result;
  }

  void GiveBack() {
    if (out_.empty()) return;
    if (Pick(0, 200) == 0) bad_ = !bad_;
    // Mostly the newest: answers are quick, but a few attempts stay out for long.
    const std::size_t newest = out_.size() - 1;
    const std::size_t i = Pick(0, 10) == 0 ? Pick<std::size_t>(0, out_.size()) : newest;
    const Out out = out_[i];
    out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(i));
    const auto mine = [&](SharedBreaker& b) -> const Permit& { return &b == lane_.breaker.get() ? out.lane : out.plain; };
    const int dice = Pick(0, 60);
    if (dice == 0) {
      Both([&](SharedBreaker& b) { b.StreamStarted(mine(b), now_); });
      Pause();
    }
    if (dice == 1) {
      ++lost_;  // never given back
      return;
    }
    if (dice == 2) return Both([&](SharedBreaker& b) { b.Drop(mine(b), now_); });
    if (dice == 3) return Both([&](SharedBreaker& b) { b.Abandon(mine(b)); });
    const AttemptResult result = AnyResult();
    std::vector<Outcome> outcomes;
    Both([&](SharedBreaker& b) { outcomes.push_back(b.Record(mine(b), now_, result)); });
    RC_ASSERT(outcomes[0] == outcomes[1]);
    if (dice != 4) return;
    // Given back twice: counted once.
    Pause();
    Both([&](SharedBreaker& b) { b.Record(mine(b), now_, result); });
  }

  void Burst() {
    // More than a log holds, and more in flight than a shard has room for.
    const int attempts = Pick(0, 150);
    for (int i = 0; i < attempts; ++i) {
      Pause();
      Acquire();
    }
    for (int i = 0; i < attempts; ++i) {
      Pause();
      GiveBack();
    }
  }

  void Reconfigure() {
    now_ += milliseconds(1);  // not before the latest attempt
    BreakerOptions next = options_;
    auto* const adaptive = std::get_if<AdaptiveBreakerOptions>(&next.kind);
    switch (Pick(0, 8)) {
      case 0:
        next.mode = BreakerMode::kShadow;
        break;
      case 1:
        next.mode = BreakerMode::kDisabled;
        break;
      case 2:
        next.kind = SmallStandard();
        break;
      case 3:
        adaptive->slow_call_duration = milliseconds(Pick(20, 800));
        break;
      case 4:
        adaptive->wasted_attempt_cost = 30;
        break;
      case 5:
        adaptive->judge_in_flight = false;
        break;
      case 6:
        adaptive->rating.metrics.push_back({std::make_shared<AmbientMetric>("ambient", seconds(1)), 0.5});
        break;
      default:
        break;
    }
    Both([&](SharedBreaker& b) { b.Reconfigure(next, now_, Random(9)); });
  }

  void Compare() {
    RC_ASSERT(Text(lane_.breaker->Snapshot(now_)) == Text(plain_.breaker->Snapshot(now_)));
    RC_ASSERT(Text(lane_.breaker->healthy_latency()) == Text(plain_.breaker->healthy_latency()));
  }

  const BreakerOptions options_;
  Workers* const workers_;
  Told lane_;
  Told plain_;
  Time now_ = kDriversBegin;
  std::vector<Out> out_;
  bool bad_ = false;
  int lost_ = 0;
  int noted_ = 0;
};

/// Returns how many attempts the lane noted.
int CheckPairs(const BreakerOptions& options, Workers* workers) {
  int noted = 0;
  EXPECT_TRUE(rc::check([&] {
    Pair pair(options, workers);
    const int steps = Pick(1, 600);
    for (int i = 0; i < steps; ++i) pair.Step();
    pair.End();
    noted += pair.noted();
  }));
  return noted;
}

TEST(HealthyLane, OfOneThreadCannotBeToldFromItsAbsence) { EXPECT_GT(CheckPairs({}, nullptr), 1000); }

TEST(HealthyLane, OfThreadsThatTakeTurnsCannotBeToldFromItsAbsence) {
  Workers workers(3);
  EXPECT_GT(CheckPairs({}, &workers), 500);
}

TEST(HealthyLane, AnAttemptThatIsToldLateTookWhatItTook) {
  constexpr Duration kTook = std::chrono::microseconds(5);
  Workers workers(2);
  const Told told = MakeTold({}, nullptr);
  Time now = kDriversBegin;
  const auto attempts = [&](int worker, int count, Duration pause) {
    workers.Run(worker, [&] {
      for (int i = 0; i < count; ++i, now += pause) told.breaker->Record(told.breaker->TryAcquire(now, {}).permit, now + kTook, {});
    });
  };
  attempts(0, 100, milliseconds(1));
  attempts(1, 100, milliseconds(1));
  told.breaker->FreshEvidence(now);  // all that was noted is told
  // One thread's attempt, then so many of the other's that they are told before it.
  attempts(1, 1, 2 * kTook);
  attempts(0, 120, std::chrono::microseconds(6));
  EXPECT_EQ(told.breaker->Snapshot(now).rating, 1.0);
  EXPECT_EQ(told.breaker->healthy_latency(), kTook);
}

TEST(HealthyLane, OfASlowServiceCannotBeToldFromItsAbsence) {
  AdaptiveBreakerOptions slow;
  slow.slow_call_duration = milliseconds(5);
  EXPECT_GT(CheckPairs(Options(slow), nullptr), 100);
}

}  // namespace
}  // namespace recloser
