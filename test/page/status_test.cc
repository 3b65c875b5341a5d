// What the JSON says of breakers, transitions, budgets and problems.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "page_fixture.h"
#include "users_breaker.h"

namespace recloser::page {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class StatusJson : public PageFixture {};

TEST_F(StatusJson, AHealthyBreakerHasItsRatingAndItsPartsAgainstTheThresholds) {
  StatusPageOptions options = Quiet();
  options.title = "checkout-7";
  Start(options);
  Attempts(*Breaker("a.B", "Get"), 100, absl::StatusCode::kOk);
  const v1::Status status = Status();
  EXPECT_EQ(status.title(), "checkout-7");
  EXPECT_NEAR(status.uptime_seconds(), 0.2, 1e-9);
  ASSERT_EQ(status.breakers_size(), 1);
  const v1::Breaker& breaker = status.breakers(0);
  EXPECT_EQ(breaker.target(), kTarget);
  EXPECT_EQ(breaker.name(), "a.B/Get");
  EXPECT_EQ(breaker.state(), "closed");
  EXPECT_EQ(breaker.mode(), "enforce");
  EXPECT_EQ(breaker.kind(), "adaptive");
  EXPECT_EQ(breaker.admitted_share(), 1);
  EXPECT_FALSE(breaker.has_retry_after_seconds());
  EXPECT_DOUBLE_EQ(breaker.rating(), 1);
  EXPECT_NEAR(breaker.open_threshold(), 5.0 / 6, 1e-9);
  EXPECT_NEAR(breaker.close_threshold(), 11.0 / 12, 1e-9);
  EXPECT_GT(breaker.window_calls(), 0);
  EXPECT_GT(breaker.offered_rate(), 0);
  ASSERT_EQ(breaker.metrics_size(), 3);
  double sum = 0;
  for (const v1::Metric& metric : breaker.metrics()) {
    EXPECT_NEAR(metric.contribution(), metric.weight() * metric.score(), 1e-12);
    sum += metric.contribution();
  }
  EXPECT_NEAR(sum, breaker.rating(), 1e-9);
  EXPECT_EQ(breaker.transitions_size(), 0);
}

TEST_F(StatusJson, AnOutageIsToldWithItsSentenceAndEveryNumberOfTheDecision) {
  Start(Quiet());
  const auto breaker = Breaker("a.B", "Get");
  Attempts(*breaker, 100, absl::StatusCode::kOk);
  Attempts(*breaker, 50, absl::StatusCode::kUnavailable);
  ASSERT_EQ(breaker->state(), BreakerState::kOpen);
  Advance(std::chrono::seconds(3));
  const v1::Status status = Status();
  const v1::Breaker& told = status.breakers(0);
  EXPECT_EQ(told.state(), "open");
  EXPECT_EQ(told.admitted_share(), 0);
  EXPECT_TRUE(told.has_retry_after_seconds());
  EXPECT_GT(told.rejected(), 0);
  ASSERT_EQ(told.transitions_size(), 1);
  const v1::Transition& transition = told.transitions(0);
  EXPECT_EQ(transition.from(), "closed");
  EXPECT_EQ(transition.to(), "open");
  EXPECT_EQ(transition.reason(), "rating");
  EXPECT_THAT(transition.explanation(), StartsWith("opened by rating: rating 0.67 (opens at 0.83)"));
  EXPECT_NEAR(transition.rating(), 2.0 / 3, 1e-6);
  EXPECT_NEAR(transition.evidence(), transition.evidence_limit(), 1e-6);
  EXPECT_GT(transition.context_calls(), 0);
  EXPECT_EQ(transition.scores().at("errors"), 0);
  EXPECT_GE(transition.age_seconds(), 3);
  EXPECT_GT(transition.unix_time_seconds(), 1.7e9);
  EXPECT_GE(told.seconds_by_state().at("open"), 3);
}

TEST_F(StatusJson, TransitionsAreBoundedAndNewestFirst) {
  StatusPageOptions options = Quiet();
  options.transitions_kept = 3;
  Start(options);
  const auto breaker = Breaker("a.B", "Get");
  for (int i = 0; i < 5; ++i) {
    breaker->ForceOpen(Now());
    Advance(std::chrono::seconds(1));
    breaker->Reset(Now());
    Advance(std::chrono::seconds(1));
  }
  const v1::Breaker told = Status().breakers(0);
  ASSERT_EQ(told.transitions_size(), 3);
  EXPECT_NEAR(told.transitions(0).age_seconds(), 1, 1e-9);
  EXPECT_NEAR(told.transitions(2).age_seconds(), 3, 1e-9);
  EXPECT_GT(told.transitions(0).generation(), told.transitions(2).generation());
}

TEST_F(StatusJson, AStandardBreakerHasItsOwnNumbersAndNoRating) {
  Start(Quiet());
  BreakerOptions options;
  options.kind = StandardBreakerOptions{};
  const auto breaker = Breaker("a.B", "Get", options);
  Attempts(*breaker, 3, absl::StatusCode::kOk);
  Attempts(*breaker, 1, absl::StatusCode::kUnavailable);
  const v1::Breaker told = Status().breakers(0);
  EXPECT_EQ(told.kind(), "standard");
  EXPECT_DOUBLE_EQ(told.failure_rate(), 0.25);
  EXPECT_FALSE(told.has_rating());
  EXPECT_FALSE(told.has_offered_rate());
  EXPECT_EQ(told.settings(3).name(), "window");
  EXPECT_EQ(told.settings(3).value(), "count");
}

TEST_F(StatusJson, CanBeAskedForBrieflyAndForOneBreaker) {
  Start(Quiet());
  Breaker("a.B", "Get")->ForceOpen(Now());
  Breaker("a.B", "<Put> & 100%");
  v1::Status brief;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(Get("/status.json?brief").body, &brief).ok());
  ASSERT_EQ(brief.breakers_size(), 2);
  EXPECT_EQ(brief.breakers(1).state(), "forced_open");
  EXPECT_EQ(brief.breakers(1).transitions_size(), 0);
  EXPECT_EQ(brief.breakers(1).settings_size(), 0);
  v1::Status one;
  const std::string key = "dns%3A%2F%2F%2Forders%3A443%20a.B%2F%3CPut%3E%20%26%20100%25";
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(Get("/status.json?breaker=" + key).body, &one).ok());
  ASSERT_EQ(one.breakers_size(), 1);
  EXPECT_EQ(one.breakers(0).name(), "a.B/<Put> & 100%");
  EXPECT_GT(one.breakers(0).settings_size(), 0);
  EXPECT_THAT(Get("/status.json?breaker=other").body, HasSubstr("\"breakers\":[]"));
  EXPECT_EQ(Get("/status.json?long").status, 400);
}

TEST_F(StatusJson, NamesThatWouldBeMarkupOrAreNoTextStayHarmless) {
  Start(Quiet());
  Breaker("a.B", "</script><script>alert(1)</script>");
  Breaker("a.B", "\xff\xfe\"\n\xe2\x82");
  const HttpAnswer answer = Get("/status.json");
  EXPECT_TRUE(answer.Has("Content-Type: application/json; charset=utf-8\r\n"));
  EXPECT_THAT(answer.body, Not(HasSubstr("<")));
  const v1::Status status = Status();
  ASSERT_EQ(status.breakers_size(), 2);
  EXPECT_EQ(status.breakers(0).name(), "a.B/</script><script>alert(1)</script>");
  EXPECT_EQ(status.breakers(1).name(), "a.B/\uFFFD\uFFFD\"\n\uFFFD\uFFFD");
}

TEST_F(StatusJson, BudgetsAndProblemsAreTold) {
  Start(Quiet());
  const auto budget = std::make_shared<RetryBudget>(RetryBudgetOptions{});
  registry_->AddBudget(kTarget, budget);
  budget->Withdraw();
  for (int i = 0; i < 60; ++i) registry_->Report({Problem::Kind::kUnsupportedMessage, kTarget, "number " + std::to_string(i)});
  Advance(std::chrono::seconds(5));
  const v1::Status status = Status();
  ASSERT_EQ(status.retry_budgets_size(), 1);
  EXPECT_EQ(status.retry_budgets(0).tokens(), 99);
  EXPECT_EQ(status.retry_budgets(0).max_tokens(), 100);
  ASSERT_EQ(status.problems_size(), 50) << "bounded";
  EXPECT_EQ(status.problems(0).kind(), "unsupported_message");
  EXPECT_EQ(status.problems(0).detail(), "number 59");
  EXPECT_NEAR(status.problems(0).age_seconds(), 5, 1e-9);
}

TEST_F(StatusJson, PolicySourcesAreToldWithWhatTheApplicationWritesOfTheirPolicies) {
  const auto source = PolicySource::Create({}, {"policies.json", "9f86d081"});
  registry_->AddSource(source);
  StatusPageOptions options = Quiet();
  options.policy_text = [](const PolicySet& set) { return "cost " + std::to_string(set.targets.size()); };
  Start(options);
  source->Refused(absl::InvalidArgumentError("policies.json: defaults.deadline: -1s is not allowed"));
  const v1::Status status = Status();
  ASSERT_EQ(status.policy_sources_size(), 1);
  const v1::PolicySource& told = status.policy_sources(0);
  EXPECT_EQ(told.name(), "policies.json");
  EXPECT_EQ(told.hash(), "9f86d081");
  EXPECT_EQ(told.generation(), 1);
  EXPECT_EQ(told.refused(), 1);
  EXPECT_THAT(told.last_error(), HasSubstr("defaults.deadline"));
  EXPECT_EQ(told.text(), "cost 0");
}

TEST_F(StatusJson, APolicyTextThatThrowsIsLeftOutAndCounted) {
  const auto source = PolicySource::Create({}, {"built in", ""});
  registry_->AddSource(source);
  StatusPageOptions options = Quiet();
  options.policy_text = [](const PolicySet&) -> std::string { throw std::runtime_error("no"); };
  Start(options);
  const v1::Status status = Status();
  EXPECT_EQ(status.policy_sources(0).text(), "");
  EXPECT_EQ(status.listener_errors(), 1);
}

TEST_F(StatusJson, AShadowIsToldWithItsSentence) {
  BreakerOptions options;
  options.mode = BreakerMode::kShadow;
  Start(Quiet());
  const auto breaker = Breaker("a.B", "Get", options);
  Attempts(*breaker, 100, absl::StatusCode::kOk);
  Attempts(*breaker, 100, absl::StatusCode::kUnavailable);
  const v1::Breaker told = Status().breakers(0);
  EXPECT_EQ(told.mode(), "shadow");
  EXPECT_THAT(told.shadow().explanation(), StartsWith("if you enforced this now: "));
  EXPECT_GT(told.shadow().would_save(), 50);
  EXPECT_EQ(told.shadow().bad(), 100);
}

TEST_F(StatusJson, ACustomBreakerThatThrowsIsLeftOutAndCounted) {
  Start(Quiet());
  Breaker("a.B", "Get", ThrowingBreaker());
  Breaker("a.B", "Put");
  const v1::Status status = Status();
  ASSERT_EQ(status.breakers_size(), 1);
  EXPECT_EQ(status.breakers(0).name(), "a.B/Put");
  EXPECT_EQ(status.listener_errors(), 1);
}

TEST_F(StatusJson, ARegistryThatIsGoneIsAnEmptyPage) {
  auto registry = Registry::Create();
  registry->FindOrCreate({kTarget, "a.B", "Get"}, {}, Now());
  auto page = StatusPage::Start(Quiet(), registry, &StatusJson::Now);
  ASSERT_TRUE(page.ok());
  registry = nullptr;
  EXPECT_THAT(page::Get((*page)->port(), "/status.json").body, HasSubstr("\"breakers\":[]"));
}

TEST_F(StatusJson, ObservingEndsWithThePage) {
  Start(Quiet());
  const auto breaker = Breaker("a.B", "Get");
  page_ = nullptr;
  breaker->ForceOpen(Now());
  Start(Quiet());
  EXPECT_EQ(Status().breakers(0).transitions_size(), 0);
  breaker->Reset(Now());
  EXPECT_EQ(Status().breakers(0).transitions_size(), 1);
  EXPECT_EQ(Status().listener_errors(), 0);
}

}  // namespace
}  // namespace recloser::page
