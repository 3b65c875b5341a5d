// Where policies come from, and what came of changing them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "recloser/core/call_session.h"
#include "recloser/core/link.h"
#include "recloser/core/policy_source.h"
#include "recloser/core/registry.h"
#include "recloser/prometheus/exporter.h"
#include "scraped.h"

namespace recloser {
namespace {

using ::testing::Optional;

constexpr char kFile[] = "/etc/recloser/policies.json";

PolicySet WithAttempts(int max_attempts) {
  PolicySet set;
  set.defaults.defaults.retry.max_attempts = max_attempts;
  return set;
}

class ConfigSeriesTest : public ::testing::Test {
 protected:
  ConfigSeriesTest() { VirtualClock::Reset(); }

  std::shared_ptr<PolicySource> Make(const std::string& name, const std::string& hash) {
    auto source = PolicySource::Create({}, {name, hash});
    registry_->AddSource(source);
    return source;
  }

  std::optional<double> Value(const std::string& name, LabelMap labels) const {
    return Scraped(*exporter_).Value("recloser_config_" + name, std::move(labels));
  }
  std::optional<double> Reloads(const std::string& result, const std::string& source = kFile) const {
    return Value("reloads_total", {{"source", source}, {"result", result}});
  }

  std::shared_ptr<Registry> registry_ = Registry::Create({64, 1});
  std::shared_ptr<PrometheusExporter> exporter_ = PrometheusExporter::Create(registry_, &VirtualClock::Read);
};

TEST_F(ConfigSeriesTest, WithoutASourceThereIsNothingToShow) {
  const Scraped scraped(*exporter_);
  for (const char* name : {"info", "generation", "reloads_total", "last_reload_successful"}) {
    EXPECT_EQ(scraped.SeriesOf(std::string("recloser_config_") + name), 0u) << name;
  }
}

TEST_F(ConfigSeriesTest, TheFirstPoliciesAreGenerationOne) {
  const auto source = Make(kFile, "9f86d081");
  EXPECT_THAT(Value("info", {{"source", kFile}, {"hash", "9f86d081"}}), Optional(1));
  EXPECT_THAT(Value("generation", {{"source", kFile}}), Optional(1));
  EXPECT_THAT(Value("last_reload_successful", {{"source", kFile}}), Optional(1));
  for (const char* result : {"applied", "unchanged", "refused"}) EXPECT_THAT(Reloads(result), Optional(0)) << result;
}

TEST_F(ConfigSeriesTest, UpdatesAreCountedByWhatCameOfThem) {
  const auto source = Make(kFile, "1");
  ASSERT_TRUE(source->Update(WithAttempts(5), {kFile, "2"}, VirtualClock::now).ok());
  ASSERT_TRUE(source->Update(WithAttempts(5), {kFile, "2"}, VirtualClock::now).ok());
  ASSERT_FALSE(source->Update(WithAttempts(-1), {kFile, "3"}, VirtualClock::now).ok());

  EXPECT_THAT(Reloads("applied"), Optional(1));
  EXPECT_THAT(Reloads("unchanged"), Optional(1));
  EXPECT_THAT(Reloads("refused"), Optional(1));
  EXPECT_THAT(Value("generation", {{"source", kFile}}), Optional(2));
  EXPECT_THAT(Value("info", {{"source", kFile}, {"hash", "2"}}), Optional(1)) << "the refused ones are not in use";
  EXPECT_EQ(Scraped(*exporter_).SeriesOf("recloser_config_info"), 1u);
}

TEST_F(ConfigSeriesTest, ARefusalIsShownUntilAGoodUpdateComes) {
  const auto source = Make(kFile, "1");
  source->Refused(absl::InvalidArgumentError("policies.json: not JSON"));
  EXPECT_THAT(Value("last_reload_successful", {{"source", kFile}}), Optional(0));
  ASSERT_TRUE(source->Update({}, {kFile, "1"}, VirtualClock::now).ok());
  EXPECT_THAT(Value("last_reload_successful", {{"source", kFile}}), Optional(1));
}

TEST_F(ConfigSeriesTest, TwoSourcesOfOneNameAreOneSeriesAndTheWorseIsShown) {
  const auto good = Make(kFile, "1");
  const auto bad = Make(kFile, "1");
  ASSERT_TRUE(good->Update(WithAttempts(5), {kFile, "2"}, VirtualClock::now).ok());
  bad->Refused(absl::InvalidArgumentError("policies.json: not JSON"));

  EXPECT_THAT(Value("last_reload_successful", {{"source", kFile}}), Optional(0));
  EXPECT_THAT(Value("generation", {{"source", kFile}}), Optional(2));
  EXPECT_THAT(Reloads("applied"), Optional(1));
  EXPECT_THAT(Reloads("refused"), Optional(1));
  EXPECT_EQ(Scraped(*exporter_).SeriesOf("recloser_config_generation"), 1u);
  EXPECT_EQ(Scraped(*exporter_).SeriesOf("recloser_config_info"), 2u) << "they run on different policies";
}

TEST_F(ConfigSeriesTest, CountersNeverFallWhenASourceIsMadeAnewOrNamedAnew) {
  auto source = Make(kFile, "1");
  ASSERT_TRUE(source->Update(WithAttempts(5), {kFile, "2"}, VirtualClock::now).ok());
  EXPECT_THAT(Reloads("applied"), Optional(1));

  source = nullptr;
  EXPECT_THAT(Reloads("applied"), Optional(1));
  EXPECT_EQ(Value("generation", {{"source", kFile}}), std::nullopt) << "nothing is in use";

  source = Make(kFile, "2");
  ASSERT_TRUE(source->Update(WithAttempts(4), {kFile, "3"}, VirtualClock::now).ok());
  EXPECT_THAT(Reloads("applied"), Optional(2));

  ASSERT_TRUE(source->Update(WithAttempts(3), {"another.json", "4"}, VirtualClock::now).ok());
  EXPECT_THAT(Reloads("applied"), Optional(2));
  EXPECT_THAT(Reloads("applied", "another.json"), Optional(1));
}

TEST_F(ConfigSeriesTest, AChannelThatFollowsASourceGoesOnCountingWithEachUpdate) {
  const auto source = PolicySource::Create({}, {kFile, "0"});
  const auto link = Link::Create("dns:///orders", source, registry_);
  std::map<std::string, double> before;
  for (int update = 1; update <= 10; ++update) {
    for (int i = 0; i < 20; ++i) {
      CallSession session(link->Method("/orders.Orders/Get", {}, VirtualClock::now), {}, 7);
      if (session.Start(VirtualClock::now, kInfiniteFuture).kind != Action::Kind::kSend) continue;
      VirtualClock::Advance(std::chrono::milliseconds(20));
      AttemptResult failed;
      failed.code = absl::StatusCode::kUnavailable;
      session.OnAttemptFinished(VirtualClock::now, failed);
    }
    PolicySet set;
    set.defaults.defaults.breaker.mode = update % 2 == 1 ? BreakerMode::kShadow : BreakerMode::kEnforce;
    ASSERT_TRUE(source->Update(set, {kFile, std::to_string(update)}, VirtualClock::now).ok());

    EXPECT_THAT(Value("generation", {{"source", kFile}}), Optional(1 + update));
    EXPECT_THAT(Value("info", {{"source", kFile}, {"hash", std::to_string(update)}}), Optional(1));
    const auto now = Scraped(*exporter_).Counters();
    for (const auto& [series, value] : before) {
      ASSERT_EQ(now.count(series), 1u) << series << " vanished with update " << update;
      EXPECT_GE(now.at(series), value) << series;
    }
    before = now;
  }
  const LabelMap breaker = {{"target", "dns:///orders"}, {"grpc_service", "orders.Orders"}, {"grpc_method", "Get"}};
  const Scraped scraped(*exporter_);
  EXPECT_THAT(scraped.Value("recloser_breaker_state", Plus(breaker, {{"state", "open"}})), Optional(1)) << "an update closes nothing";
  EXPECT_THAT(scraped.Value("recloser_calls_started_total", breaker), Optional(200));
  for (const char* mode : {"enforce", "shadow"}) {
    EXPECT_GE(scraped.Value("recloser_breaker_rejected_total", Plus(breaker, {{"mode", mode}})).value(), 1) << mode;
  }
}

TEST_F(ConfigSeriesTest, NamesWithoutEndShareTheSeriesOfOther) {
  for (int i = 0; i < 1000; ++i) {
    const auto source = Make("policies of call " + std::to_string(i), "1");
    source->Refused(absl::InvalidArgumentError("not JSON"));
    exporter_->Collect();
  }
  EXPECT_THAT(Reloads("refused", "policies of call 0"), Optional(1));
  EXPECT_THAT(Reloads("refused", "other"), Optional(900));
  EXPECT_EQ(Scraped(*exporter_).SeriesOf("recloser_config_reloads_total"), 3u * 101);
}

}  // namespace
}  // namespace recloser
