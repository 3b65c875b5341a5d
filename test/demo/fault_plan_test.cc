// Fault plans: what is refused, and with which words.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "demo_services/fault/plan.h"

namespace recloser::demo {
namespace {

struct BadPlan {
  const char* name;
  const char* json;
  const char* message;
};

void PrintTo(const BadPlan& plan, std::ostream* out) { *out << plan.name; }

class BadPlanTest : public testing::TestWithParam<BadPlan> {};

TEST_P(BadPlanTest, IsRefusedInOneLineThatNamesTheField) {
  const absl::StatusOr<v1::FaultPlan> plan = ParsePlan(GetParam().json, FileFormat::kJson);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(plan.status().message()), GetParam().message);
}

#define PHASE(fields) "{\"phases\": [{\"length\": \"1s\"}, {\"length\": \"1s\"}, {" fields "}]}"
#define POOL(fields) PHASE("\"pool\": {\"workers\": 2, " fields "}")

INSTANTIATE_TEST_SUITE_P(
    Rules, BadPlanTest,
    testing::Values(
        BadPlan{"NoPhases", "{}", "phases: a list of 0 is not allowed; must be a list of 1 to 1000"},
        BadPlan{"LengthMissing", R"({"phases": [{}, {}]})",
                "phases[0].length: nothing is not allowed; must be given in every phase but the last"},
        BadPlan{"LengthZero", R"({"phases": [{"length": "0s"}]})", "phases[0].length: 0s is not allowed; must be from 1ns to 86400s"},
        BadPlan{"LengthNegative", R"({"phases": [{"length": "-1s"}]})", "phases[0].length: -1s is not allowed; must be from 1ns to 86400s"},
        BadPlan{"Probability", PHASE(R"("errors": [{"code": "UNAVAILABLE", "probability": 1.5}])"),
                "phases[2].errors[0].probability: 1.5 is not allowed; must be from 0 to 1"},
        BadPlan{"ProbabilityNan", PHASE(R"("errors": [{"code": "UNAVAILABLE", "probability": "NaN"}])"),
                "phases[2].errors[0].probability: nan is not allowed; must be from 0 to 1"},
        BadPlan{"ProbabilitySum", PHASE(R"("errors": [{"code": "ABORTED", "probability": 0.6}, {"code": 14, "probability": 0.6}])"),
                "phases[2].errors: a sum of probabilities of 1.2 is not allowed; must be at most 1"},
        BadPlan{"ErrorOk", PHASE(R"("errors": [{"probability": 0.5}])"),
                "phases[2].errors[0].code: OK is not allowed; must be a status code other than OK"},
        BadPlan{"ErrorCodeUnknown", PHASE(R"("errors": [{"code": 99, "probability": 0.5}])"),
                "phases[2].errors[0].code: 99 is not allowed; must be a status code other than OK"},
        BadPlan{"DelayShape", PHASE(R"("delay": {"multiplier": 2})"),
                "phases[2].delay.shape: nothing is not allowed; must be one of fixed, uniform, lognormal, exponential"},
        BadPlan{"DelayNegative", PHASE(R"("delay": {"fixed": "-0.1s"})"),
                "phases[2].delay.fixed: -100ms is not allowed; must be from 0s to 86400s"},
        BadPlan{"UniformReversed", PHASE(R"("delay": {"uniform": {"low": "2s", "high": "1s"}})"),
                "phases[2].delay.uniform.high: 1s is not allowed; must be from 2s to 86400s"},
        BadPlan{"Sigma", PHASE(R"("delay": {"lognormal": {"mean": "1s", "sigma": 6}})"),
                "phases[2].delay.lognormal.sigma: 6 is not allowed; must be from 0 to 5"},
        BadPlan{"Multiplier", PHASE(R"("delay": {"fixed": "1s", "multiplier": -1})"),
                "phases[2].delay.multiplier: -1 is not allowed; must be from 0 to 1000"},
        BadPlan{"Workers", PHASE(R"("pool": {"service_time": {"fixed": "1s"}})"),
                "phases[2].pool.workers: 0 is not allowed; must be from 1 to 100000"},
        BadPlan{"ServiceTime", POOL(R"("queue_limit": 3)"),
                "phases[2].pool.service_time.shape: nothing is not allowed; must be one of fixed, uniform, lognormal, exponential"},
        BadPlan{"QueueLimit", POOL(R"("queue_limit": 1000001, "service_time": {"fixed": "1s"})"),
                "phases[2].pool.queue_limit: 1000001 is not allowed; must be from 0 to 1000000"},
        BadPlan{"PlanPool", R"({"pool": {}, "phases": [{}]})", "pool.workers: 0 is not allowed; must be from 1 to 100000"},
        BadPlan{"CapacityWithoutPool", PHASE(R"("capacity": {"start": 1, "end": 1})"),
                "phases[2].capacity: a curve is not allowed; must be absent where neither the phase nor the plan has a pool"},
        BadPlan{"CapacityZero", POOL(R"("service_time": {"fixed": "1s"}}, "capacity": {"end": 1)"),
                "phases[2].capacity.start: 0 is not allowed; must be from 0.001 to 10"},
        BadPlan{"FlappingPeriod", PHASE(R"("flapping": {"down": "1s", "up": "0.001s"})"),
                "phases[2].flapping.up: 1ms is not allowed; must be from 10ms to 86400s"},
        BadPlan{"FlappingJitter", PHASE(R"("flapping": {"down": "1s", "up": "1s", "jitter": 1})"),
                "phases[2].flapping.jitter: 1 is not allowed; must be from 0 to 0.9"},
        BadPlan{"FlappingAndOutage", PHASE(R"("outage": "REFUSE", "flapping": {"down": "1s", "up": "1s"})"),
                "phases[2].flapping: a flapping is not allowed; must be absent in a phase with an outage"}),
    [](const testing::TestParamInfo<BadPlan>& param) { return param.param.name; });

TEST(FaultPlanTest, RefusesUnknownKeysNamingThem) {
  const absl::StatusOr<v1::FaultPlan> plan = ParsePlan(R"({"phases": [{"lenght": "1s"}]})", FileFormat::kJson);
  ASSERT_FALSE(plan.ok());
  EXPECT_TRUE(absl::StrContains(plan.status().message(), "lenght")) << plan.status();
  EXPECT_FALSE(absl::StrContains(plan.status().message(), "\n"));
}

TEST(FaultPlanTest, TextFormatErrorsNameTheLine) {
  const absl::StatusOr<v1::FaultPlan> plan = ParsePlan("phases {\n  lenght { seconds: 1 }\n}", FileFormat::kText);
  ASSERT_FALSE(plan.ok());
  EXPECT_TRUE(absl::StrContains(plan.status().message(), "line 2, column ")) << plan.status();
  EXPECT_TRUE(absl::StrContains(plan.status().message(), "lenght")) << plan.status();
}

TEST(FaultPlanTest, ReadsJsonAndTextByTheNameOfTheFile) {
  const std::string base = absl::StrCat(testing::TempDir(), "fault_plan_test");
  std::ofstream(base + ".json") << R"({"seed": "7", "phases": [{"name": "down", "outage": "REFUSE"}]})";
  std::ofstream(base + ".txtpb") << R"(seed: 7 phases { name: "down" outage: REFUSE })";
  for (const char* extension : {".json", ".txtpb"}) {
    const absl::StatusOr<v1::FaultPlan> plan = ReadPlanFile(base + extension);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->seed(), 7u);
    ASSERT_EQ(plan->phases_size(), 1);
    EXPECT_EQ(plan->phases(0).outage(), v1::Outage::REFUSE);
  }
  EXPECT_EQ(ReadPlanFile(base + ".yaml").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadPlanFile(base + ".absent.json").status().code(), absl::StatusCode::kNotFound);
}

TEST(FaultPlanTest, TheExamplePlansAreGood) {
  for (const char* name : {"crash.json", "slow.json", "overload.json", "flapping.json", "partial_errors.txtpb"}) {
    EXPECT_TRUE(ReadPlanFile(absl::StrCat(RECLOSER_PLANS_DIR, "/", name)).ok()) << name;
  }
}

}  // namespace
}  // namespace recloser::demo
