#include "recloser/sim/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "recloser/sim/bars.h"
#include "scenarios.h"

namespace recloser::sim {
namespace {

using ::testing::HasSubstr;

std::string Error(const std::string& json) {
  const absl::StatusOr<Scenario> scenario = ParseScenario(json, FileFormat::kJson);
  EXPECT_EQ(scenario.status().code(), absl::StatusCode::kInvalidArgument) << json;
  return std::string(scenario.status().message());
}

TEST(Scenario, TheSmallestOneIsTheBaseCase) {
  const auto scenario = ParseScenario(R"({"id": "x", "length": "60s", "services": [{"name": "a"}]})", FileFormat::kJson);
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ(scenario->warm_up, seconds(30));
  EXPECT_EQ(scenario->load.rate, 480);
  EXPECT_EQ(scenario->load.clients, 1);
  EXPECT_EQ(scenario->calls.attempts, 1);
  EXPECT_EQ(scenario->calls.attempt_timeout, seconds(1));
  EXPECT_EQ(scenario->calls.slo, milliseconds(500));
  ASSERT_EQ(scenario->services.size(), 1u);
  EXPECT_EQ(scenario->services[0].workers, 16);
  EXPECT_EQ(scenario->services[0].service_time, milliseconds(20));
  EXPECT_EQ(scenario->services[0].queue_limit, 2000);
  EXPECT_EQ(scenario->services[0].background_errors, 0.002);
  EXPECT_TRUE(scenario->services[0].finishes_abandoned);
}

TEST(Scenario, BothFormatsSayTheSame) {
  const auto text = ParseScenario(R"(
    id: "x" length { seconds: 60 }
    services { name: "a" faults { at { seconds: 10 } length { seconds: 20 } slow_factor: 40 } })",
                                  FileFormat::kText);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->services[0].faults[0].kind, Fault::Kind::kSlow);
  EXPECT_EQ(text->services[0].faults[0].slow_factor, 40);
  EXPECT_EQ(text->services[0].faults[0].end_jitter, seconds(5));
}

TEST(Scenario, FlappingHasNoEndJitterUnlessItIsGiven) {
  const auto scenario = ParseScenario(
      R"({"id": "x", "length": "60s", "services": [{"name": "a", "faults": [{"flapping": {"down": "1s", "up": "2s", "cycles": 3}}]}]})",
      FileFormat::kJson);
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ(scenario->services[0].faults[0].end_jitter, Duration::zero());
  EXPECT_EQ(scenario->services[0].faults[0].jitter, 0.25);
}

TEST(Scenario, RefusesWithThePathTheValueAndWhatIsAllowed) {
  const auto with = [](const std::string& rest) { return R"({"id": "x", "length": "60s", )" + rest + "}"; };
  const auto service = [&](const std::string& fields) { return with(R"("services": [{"name": "a", )" + fields + "}]"); };
  const auto fault = [&](const std::string& fields) { return service(R"("faults": [{)" + fields + "}]"); };
  EXPECT_EQ(Error(R"({"length": "60s", "services": [{"name": "a"}]})"), "id: \"\" is not allowed; must have from 1 to 32 characters");
  EXPECT_EQ(Error(R"({"id": "x", "services": [{"name": "a"}]})"), "length: nothing is not allowed; is required");
  EXPECT_EQ(Error(with(R"("load": {})")), "services: 0 is not allowed; must be from 1 to 20");
  EXPECT_EQ(Error(with(R"("load": {"rate": -1}, "services": [{"name": "a"}])")), "load.rate: -1 is not allowed; must be from 0 to 1000000");
  EXPECT_EQ(Error(with(R"("load": {"rate": "NaN"}, "services": [{"name": "a"}])")),
            "load.rate: nan is not allowed; must be from 0 to 1000000");
  EXPECT_EQ(Error(with(R"("load": {"changes": [{"at": "9s", "rate": 1}, {"at": "8s", "rate": 1}]}, "services": [{"name": "a"}])")),
            "load.changes[1].at: 8s is not allowed; must be from 9s to 86400s");
  EXPECT_EQ(Error(with(R"("load": {"changes": [{"at": "9s"}]}, "services": [{"name": "a"}])")),
            "load.changes[0].rate: nothing is not allowed; is required");
  EXPECT_EQ(Error(with(R"("calls": {"attempts": 0}, "services": [{"name": "a"}])")),
            "calls.attempts: 0 is not allowed; must be from 1 to 100");
  EXPECT_EQ(Error(with(R"("calls": {"deadline": "0.5s"}, "services": [{"name": "a"}])")),
            "calls.attempt_timeout: 1s is not allowed; must be at most `deadline`, 500ms");
  EXPECT_EQ(Error(with(R"("services": [{"name": "a"}, {"name": "a"}])")), "services[1].name: \"a\" is not allowed; must be unique");
  EXPECT_EQ(Error(service(R"("workers": 0)")), "services[0].workers: 0 is not allowed; must be from 1 to 100000");
  EXPECT_EQ(Error(service(R"("calls": ["a"])")),
            "services[0].calls[0]: \"a\" is not allowed; must be the name of a service further down the list");
  EXPECT_EQ(Error(service(R"("background_errors": 1.5)")), "services[0].background_errors: 1.5 is not allowed; must be from 0 to 1");
  EXPECT_EQ(Error(fault(R"("length": "1s")")),
            "services[0].faults[0].kind: nothing is not allowed; must be one of refused, blackhole, slow_factor, errors, capacity, "
            "flapping, delay");
  EXPECT_EQ(Error(fault(R"("refused": {})")), "services[0].faults[0].length: nothing is not allowed; is required");
  EXPECT_EQ(Error(fault(R"("length": "1s", "errors": {})")), "services[0].faults[0].errors.share: nothing is not allowed; is required");
  EXPECT_EQ(Error(fault(R"("length": "1s", "capacity": {"start": 0})")),
            "services[0].faults[0].capacity.start: 0 is not allowed; must be from 0.001 to 10");
  EXPECT_EQ(Error(fault(R"("length": "1s", "endpoints": [1], "refused": {})")),
            "services[0].faults[0].endpoints[0]: 1 is not allowed; must be from 0 to 0");
  EXPECT_EQ(Error(fault(R"("flapping": {"down": "1s", "up": "1s"})")),
            "services[0].faults[0].flapping.cycles: 0 is not allowed; must be from 1 to 10000");
  EXPECT_THAT(Error(fault(R"("length": "1s", "flapping": {"down": "1s", "up": "1s", "cycles": 1})")), HasSubstr("faults[0].length"));
}

TEST(Scenario, RefusesWhatItDoesNotKnowAndWhatIsGivenTwice) {
  EXPECT_THAT(Error(R"({"id": "x", "length": "60s", "services": [{"name": "a", "worker": 3}]})"), HasSubstr("worker"));
  EXPECT_EQ(Error(R"({"id": "x", "length": "60s", "length": "50s", "services": [{"name": "a"}]})"), "not a scenario: length: given twice");
  EXPECT_THAT(Error(R"({"id": "x")"), HasSubstr("not a scenario"));
  // The same key in two objects, and keys within strings, are fine.
  EXPECT_TRUE(ParseScenario(R"({"id": "x", "title": "\"id\": {\"id\": ", "length": "60s", "services": [{"name": "a"}, {"name": "b"}]})",
                            FileFormat::kJson)
                  .ok());
}

TEST(ScenarioFile, ErrorsNameTheFile) {
  EXPECT_THAT(std::string(ReadScenarioFile("/nonexistent/x.json").status().message()), HasSubstr("/nonexistent/x.json"));
  EXPECT_THAT(std::string(ReadScenarioFile("x.yaml").status().message()), HasSubstr("must end in .json"));
  const std::string path = ::testing::TempDir() + "/scenario_test.json";
  std::ofstream(path) << R"({"id": "x", "length": "60s", "services": [{"name": "a", "workers": 0}]})";
  EXPECT_THAT(std::string(ReadScenarioFile(path).status().message()), HasSubstr(path + ": services[0].workers"));
}

TEST(ShippedScenarios, AreAllThereUnderDifferentIds) {
  std::set<std::string> ids;
  for (const Scenario& scenario : ShippedScenarios()) EXPECT_TRUE(ids.insert(scenario.id).second) << scenario.id;
  EXPECT_EQ(ids.size(), 35u);
  EXPECT_EQ(BarEntries().size(), 26u);
  for (const std::string& entry : BarEntries()) EXPECT_EQ(ids.count(entry), 1u) << entry;
}

TEST(ShippedScenarios, RunForTwoSecondsWithEveryKindOfArm) {
  for (Scenario scenario : ShippedScenarios()) {
    scenario.warm_up = seconds(1);
    scenario.length = seconds(2);
    for (Service& service : scenario.services) {
      for (Fault& fault : service.faults) {
        if (fault.at.has_value()) *fault.at = milliseconds(500);
      }
    }
    for (RateChange& change : scenario.load.changes) change.at = change.over = Duration::zero();
    for (const char* const arm : {"adaptive", "standard-c20-w0.5s", "threshold", "sre", "pid"}) {
      const Figures f = Simulated(scenario, arm).figures;
      EXPECT_EQ(f.invariant_violations, 0) << scenario.id << " " << arm;
      EXPECT_LE(f.good, f.calls);
    }
  }
}

}  // namespace
}  // namespace recloser::sim
