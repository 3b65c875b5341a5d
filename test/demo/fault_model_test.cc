// Fault plans in virtual time: phases, flapping, distributions, workers.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "demo_services/fault/draws.h"
#include "demo_services/fault/model.h"
#include "demo_services/fault/plan.h"

namespace recloser::demo {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

v1::FaultPlan Plan(const std::string& json) {
  absl::StatusOr<v1::FaultPlan> plan = ParsePlan(json, FileFormat::kJson);
  if (!plan.ok()) ADD_FAILURE() << plan.status();
  return plan.value_or(v1::FaultPlan());
}

/// A model that plays `json` from time 0 on.
struct Played {
  explicit Played(const std::string& json, std::uint64_t seed = 1) : model(seed, Time()) { model.SetPlan(Plan(json), Time()); }

  static Time At(Duration t) { return Time(t); }

  std::shared_ptr<FaultTicket> Call(Duration t) {
    model.Advance(At(t));
    auto ticket = model.Arrive();
    model.Admit(ticket, At(t));
    return ticket;
  }
  std::size_t Due(Duration t) { return model.Advance(At(t)).size(); }
  std::string PhaseAt(Duration t) {
    model.Advance(At(t));
    return model.timeline().NameOf(model.timeline().index());
  }

  FaultModel model;
};

TEST(FaultModelTest, PlaysPhasesInOrderAtTheirExactTimesThenIsHealthy) {
  Played played(R"({"phases": [{"name": "a", "length": "1s"}, {"length": "2s"}, {"name": "c", "length": "1s", "outage": "BLACKHOLE"}]})");
  EXPECT_EQ(played.PhaseAt(seconds(0)), "a");
  EXPECT_EQ(played.PhaseAt(milliseconds(999)), "a");
  EXPECT_EQ(played.PhaseAt(seconds(1)), "phase 1");
  EXPECT_EQ(played.PhaseAt(milliseconds(3500)), "c");
  EXPECT_EQ(played.model.timeline().phase_start(), Played::At(seconds(3)));
  EXPECT_EQ(played.PhaseAt(seconds(4)), "healthy");
  EXPECT_EQ(played.model.timeline().outage(), v1::Outage::NONE);
  EXPECT_EQ(played.model.NextEvent(Played::At(seconds(4))), kInfiniteFuture);
}

TEST(FaultModelTest, ALastPhaseWithoutLengthLastsForEver) {
  Played played(R"({"phases": [{"name": "a", "length": "1s"}, {"name": "b"}]})");
  EXPECT_EQ(played.PhaseAt(std::chrono::hours(1000)), "b");
}

TEST(FaultModelTest, FlapsDownFirstInTurns) {
  Played played(R"({"phases": [{"length": "10s", "flapping": {"down": "1s", "up": "2s", "down_means": "ANSWER_UNAVAILABLE"}}, {}]})");
  const std::vector<bool> expected = {true, false, false, true, false, false, true};
  for (std::size_t second = 0; second < expected.size(); ++second) {
    played.model.Advance(Played::At(seconds(second)));
    EXPECT_EQ(played.model.timeline().outage() == v1::Outage::ANSWER_UNAVAILABLE, expected[second]) << second;
  }
  played.model.Advance(Played::At(seconds(10)));
  EXPECT_EQ(played.model.timeline().outage(), v1::Outage::NONE);
}

TEST(FaultModelTest, FlappingWithoutAMeaningRefuses) {
  Played played(R"({"phases": [{"flapping": {"down": "1s", "up": "1s"}}]})");
  EXPECT_EQ(played.model.timeline().outage(), v1::Outage::REFUSE);
}

TEST(FaultModelTest, JitteredPeriodsStayWithinTheirBounds) {
  Played played(R"({"phases": [{"flapping": {"down": "1s", "up": "1s", "jitter": 0.25}}]})");
  Time last = Time();
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const Time next = played.model.timeline().NextChange();
    EXPECT_GE(next - last, milliseconds(750));
    EXPECT_LE(next - last, milliseconds(1250));
    differs = differs || next - last != seconds(1);
    played.model.Advance(next);
    last = next;
  }
  EXPECT_TRUE(differs);
}

TEST(FaultModelTest, DelaysEachCall) {
  Played played(R"({"phases": [{"delay": {"fixed": "0.1s", "multiplier": 3}}]})");
  played.Call(seconds(1));
  EXPECT_EQ(played.model.NextEvent(Played::At(seconds(1))), Played::At(milliseconds(1300)));
  EXPECT_EQ(played.Due(milliseconds(1299)), 0u);
  EXPECT_EQ(played.Due(milliseconds(1300)), 1u);
}

TEST(FaultModelTest, DrawsErrorsWithTheirProbabilities) {
  Played played(R"({"phases": [{"errors": [{"code": "UNAVAILABLE", "probability": 0.2}, {"code": "INTERNAL", "probability": 0.1,
                                            "message": "m"}]}]})");
  int unavailable = 0;
  int internal = 0;
  constexpr int kCalls = 10'000;
  for (int i = 0; i < kCalls; ++i) {
    const grpc::Status status = played.Call(seconds(0))->status;
    if (status.error_code() == grpc::StatusCode::UNAVAILABLE) ++unavailable;
    if (status.error_code() == grpc::StatusCode::INTERNAL && status.error_message() == "m") ++internal;
  }
  // Five standard deviations of the binomial distribution.
  EXPECT_NEAR(unavailable, 2000, 200);
  EXPECT_NEAR(internal, 1000, 150);
}

TEST(FaultModelTest, TheSameSeedPlaysTheSame) {
  const std::string plan = R"({"phases": [{"delay": {"exponential": "1s"}}]})";
  Played a(plan, 5), b(plan, 5), c(plan, 6);
  const Duration delay = a.Call(seconds(0))->delay;
  EXPECT_EQ(delay, b.Call(seconds(0))->delay);
  EXPECT_NE(delay, c.Call(seconds(0))->delay);
}

TEST(FaultModelTest, WorkersServeInOrderAndTheQueueHasALimit) {
  Played played(R"({"pool": {"workers": 2, "queue_limit": 1, "service_time": {"fixed": "1s"}}, "phases": [{}]})");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(played.Call(seconds(0))->status.ok());
  EXPECT_EQ(played.model.queue_length(), 1u);
  EXPECT_EQ(played.Call(seconds(0))->status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(played.Due(seconds(0)), 1u) << "the refused call is answered at once";
  EXPECT_EQ(played.Due(milliseconds(999)), 0u);
  EXPECT_EQ(played.Due(seconds(1)), 2u);
  EXPECT_EQ(played.model.queue_length(), 0u);
  EXPECT_EQ(played.Due(milliseconds(1999)), 0u);
  EXPECT_EQ(played.Due(seconds(2)), 1u);
}

TEST(FaultModelTest, LateTimersCostNoCapacity) {
  Played played(R"({"pool": {"workers": 1, "service_time": {"fixed": "1s"}}, "phases": [{}]})");
  for (int i = 0; i < 5; ++i) played.Call(seconds(0));
  EXPECT_EQ(played.Due(milliseconds(5000)), 5u) << "one look after five seconds finds five calls served";
}

TEST(FaultModelTest, AFullQueueCanAnswerUnavailableOrNever) {
  const std::string begin = R"({"pool": {"workers": 1, "queue_limit": 0, "service_time": {"fixed": "1s"}, "when_full": ")";
  const std::string end = R"("}, "phases": [{}]})";
  Played unavailable(begin + "ANSWER_UNAVAILABLE" + end);
  unavailable.Call(seconds(0));
  EXPECT_EQ(unavailable.Call(seconds(0))->status.error_code(), grpc::StatusCode::UNAVAILABLE);
  Played never(begin + "NEVER_ANSWER" + end);
  never.Call(seconds(0));
  EXPECT_TRUE(never.Call(seconds(0))->never_answered);
  EXPECT_EQ(never.Due(seconds(100)), 1u);
}

TEST(FaultModelTest, AbandonedCallsTakeTheirWorkersTimeUnlessSkipped) {
  for (const bool skip : {false, true}) {
    Played played(std::string(R"({"pool": {"workers": 1, "service_time": {"fixed": "1s"}, "skip_abandoned": )") +
                  (skip ? "true" : "false") + R"(}, "phases": [{}]})");
    played.Call(seconds(0));
    auto abandoned = played.Call(seconds(0));
    auto last = played.Call(seconds(0));
    played.model.Leave(*abandoned);
    EXPECT_EQ(played.model.queue_length(), skip ? 1u : 2u);
    const FaultModel::Tickets due = played.model.Advance(Played::At(seconds(2)));
    EXPECT_EQ(due.size(), 2u);
    EXPECT_EQ(due.back() == last, skip);
  }
}

/// Calls served in each second by one worker of 10 ms with an endless queue.
std::vector<std::size_t> ServedBySecond(const std::string& scales) {
  Played played(R"({"pool": {"workers": 10, "queue_limit": 100000, "service_time": {"fixed": "0.1s"}},
                    "phases": [{"capacity": {"start": 0.2, "end": 1, "over": "4s", "scales": ")" +
                scales + R"("}}]})");
  for (int i = 0; i < 1000; ++i) played.Call(seconds(0));
  std::vector<std::size_t> served;
  for (int second = 1; second <= 6; ++second) {
    std::size_t count = 0;
    for (int tick = 1; tick <= 100; ++tick) count += played.Due(seconds(second - 1) + milliseconds(10 * tick));
    served.push_back(count);
  }
  return served;
}

TEST(FaultModelTest, CapacityGrowsInAStraightLine) {
  for (const char* scales : {"SPEED", "WORKERS"}) {
    const std::vector<std::size_t> served = ServedBySecond(scales);
    // Mean shares 0.3, 0.5, 0.7, 0.9, then 1, of 100 calls per second; a call's speed is set at its start, so somewhat less while it grows.
    const std::vector<double> expected = {30, 50, 70, 90, 100, 100};
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(static_cast<double>(served[i]), expected[i], 12) << scales << " " << i;
    EXPECT_LT(served[0], served[2]);
  }
}

TEST(FaultModelTest, TheQueueLivesOnFromPhaseToPhase) {
  Played played(R"({"pool": {"workers": 1, "service_time": {"fixed": "1s"}}, "phases": [{"length": "1s"}, {"length": "1s"}, {}]})");
  for (int i = 0; i < 3; ++i) played.Call(seconds(0));
  EXPECT_EQ(played.Due(seconds(1)), 1u);
  EXPECT_EQ(played.Due(seconds(2)), 1u);
  EXPECT_EQ(played.Due(seconds(3)), 1u);
}

TEST(FaultModelTest, WithoutAPoolWaitingCallsGoOnAtOnce) {
  Played played(R"({"phases": [{"length": "1s", "pool": {"workers": 1, "service_time": {"fixed": "10s"}}}, {}]})");
  for (int i = 0; i < 3; ++i) played.Call(seconds(0));
  EXPECT_EQ(played.Due(milliseconds(999)), 0u);
  EXPECT_EQ(played.Due(seconds(1)), 3u);
}

TEST(FaultModelTest, ARefusalLosesWhatTheServiceWasDoing) {
  Played played(R"({"pool": {"workers": 1, "service_time": {"fixed": "0.4s"}}, "phases": [{"length": "0.5s"},
                    {"length": "1s", "outage": "REFUSE"}, {}]})");
  for (int i = 0; i < 3; ++i) played.Call(seconds(0));
  EXPECT_EQ(played.Due(seconds(10)), 1u) << "only what was answered before the refusal";
  EXPECT_EQ(played.model.queue_length(), 0u);
  played.Call(seconds(10));
  EXPECT_EQ(played.Due(milliseconds(10'400)), 1u);
}

struct Shape {
  const char* json;
  double mean;
  double tolerance;
};

TEST(FaultDrawsTest, DistributionsHaveTheirMeans) {
  const Shape shapes[] = {{R"({"fixed": "0.5s"})", 0.5, 1e-9},
                          {R"({"uniform": {"low": "1s", "high": "3s"}})", 2, 0.02},
                          {R"({"lognormal": {"mean": "0.020s", "sigma": 0.5}})", 0.020, 0.0004},
                          {R"({"exponential": "2s"})", 2, 0.06},
                          {R"({"exponential": "2s", "multiplier": 10})", 20, 0.6}};
  for (const Shape& shape : shapes) {
    const v1::FaultPlan plan = Plan(std::string(R"({"phases": [{"delay": )") + shape.json + "}]}");
    Random random(3);
    double sum = 0;
    constexpr int kDraws = 50'000;
    for (int i = 0; i < kDraws; ++i) {
      const Duration draw = Draw(plan.phases(0).delay(), random);
      ASSERT_GE(draw, Duration::zero());
      sum += ToSeconds(draw);
    }
    EXPECT_NEAR(sum / kDraws, shape.mean, shape.tolerance) << shape.json;
  }
}

}  // namespace
}  // namespace recloser::demo
