// Policies to the schema and back: nothing is lost, nothing is mixed up, no field is forgotten on either side.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <string>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "leaves.h"
#include "policy_messages.h"
#include "recloser/config/policies.h"

namespace recloser {
namespace {

namespace v1 = config::v1;
using google::protobuf::util::MessageDifferencer;
using std::chrono::milliseconds;

std::string AsText(const google::protobuf::Message& message) {
  std::string text;
  EXPECT_TRUE(google::protobuf::TextFormat::PrintToString(message, &text));
  return text;
}

std::string AsText(const PolicySet& set) { return AsText(PolicySetToProto(set)); }

/// Everything that can be there is there: both kinds of breaker, all optional fields, all levels.
PolicySet Everything() {
  PolicySet set;
  MethodPolicy policy;
  policy.deadline = milliseconds(2000);
  policy.attempt_timeout = milliseconds(1000);
  policy.stream_idle_timeout = milliseconds(1500);
  policy.shadow_breaker.emplace().mode = BreakerMode::kShadow;
  policy.shadow_breaker->kind = StandardBreakerOptions();
  Policies policies;
  policies.defaults = policy;
  policies.services["a.B"] = policy;
  policies.methods["a.B/C"] = policy;
  set.defaults = policies;
  set.targets["dns:///a:1"] = policies;
  return set;
}

TEST(PolicySchema, EveryFieldOfEveryMessageIsWritten) {
  v1::PolicyFile file = PolicySetToProto(Everything());
  std::set<std::string> written;
  for (const Leaf& leaf : Leaves(&file)) written.insert(std::string(leaf.field->full_name()));
  const google::protobuf::FileDescriptor& schema = *v1::PolicyFile::descriptor()->file();
  int fields = 0;
  for (int i = 0; i < schema.message_type_count(); ++i) {
    for (int j = 0; j < schema.message_type(i)->field_count(); ++j) {
      const google::protobuf::FieldDescriptor& field = *schema.message_type(i)->field(j);
      // What only an application can provide.
      if (field.name() == "custom" || field.name() == "classify") continue;
      if (field.message_type() != nullptr && !IsDuration(field)) continue;
      EXPECT_EQ(written.count(std::string(field.full_name())), 1u) << field.full_name();
      ++fields;
    }
  }
  EXPECT_GE(fields, 60);
}

TEST(PolicySchema, EveryFieldIsTakenOverAsItself) {
  v1::PolicyFile base = PolicySetToProto(Everything());
  const std::size_t leaves = Leaves(&base).size();
  int nudged = 0;
  for (std::size_t i = 0; i < leaves; ++i) {
    absl::StatusOr<PolicySet> set = absl::UnknownError("");
    v1::PolicyFile changed;
    std::string path;
    for (const int step : {1, -1}) {  // some defaults are the upper end of their range
      changed = base;
      const Leaf leaf = Leaves(&changed)[i];
      path = leaf.path;
      Nudge(leaf, step);
      set = PolicySetFromProto(changed, {});
      if (set.ok()) break;
    }
    const bool refused = path.find("shadow_breaker.mode") != std::string::npos;
    EXPECT_EQ(set.ok(), !refused) << path << ": " << set.status();
    if (!set.ok()) continue;
    EXPECT_EQ(AsText(*set), AsText(changed)) << path;
    nudged += MessageDifferencer::Equals(changed, base) ? 0 : 1;
  }
  EXPECT_GT(nudged, 300);
}

/// Converts to whatever a struct's member wants.
struct Anything {
  template <class T, class = std::enable_if_t<!std::is_same_v<T, Anything>>>
  operator T() const;
};

template <class T, class... Args>
auto BracesTake(int) -> decltype(T{std::declval<Args>()...}, std::true_type());
template <class T, class... Args>
std::false_type BracesTake(long);

/// How many members an aggregate has.
template <class T, class... Args>
constexpr int Members() {
  if constexpr (decltype(BracesTake<T, Args..., Anything>(0))::value) {
    return Members<T, Args..., Anything>();
  } else {
    return sizeof...(Args);
  }
}

template <class Message>
int Fields() {
  return Message::descriptor()->field_count();
}

// A new option of the core must come into the schema, or be named here.
TEST(PolicySchema, HasEveryOptionOfTheCore) {
  EXPECT_EQ(Members<BackoffOptions>(), Fields<v1::Backoff>());
  EXPECT_EQ(Members<RetryOptions>(), Fields<v1::Retry>());
  EXPECT_EQ(Members<RetryBudgetOptions>(), Fields<v1::RetryBudget>());
  EXPECT_EQ(Members<MethodPolicy>(), Fields<v1::MethodConfig>() - 1);  // its name
  EXPECT_EQ(Members<BreakerOptions>(), Fields<v1::Breaker>() - 2);     // one variant for three kinds
  EXPECT_EQ(Members<StandardBreakerOptions>(), Fields<v1::StandardBreaker>());
  EXPECT_EQ(Members<RatingOptions>(), Fields<v1::Rating>());
  EXPECT_EQ(Members<WindowOptions>(), Fields<v1::Window>());
  EXPECT_EQ(Members<AdaptiveBreakerOptions>(),
            Fields<v1::AdaptiveBreaker>() + 2);  // judge_in_flight, sequential_opening: to study, not to use
}

TEST(PolicySchema, EnumerationsHaveTheNumbersOfTheCore) {
  EXPECT_EQ(v1::Retry::IDEMPOTENT, static_cast<int>(RetryMode::kIdempotent));
  EXPECT_EQ(v1::Retry::ALWAYS, static_cast<int>(RetryMode::kAlways));
  EXPECT_EQ(v1::Retry::NEVER, static_cast<int>(RetryMode::kNever));
  for (const BreakerMode mode : {BreakerMode::kEnforce, BreakerMode::kShadow, BreakerMode::kDisabled}) {
    EXPECT_EQ(absl::AsciiStrToLower(v1::Breaker::Mode_Name(static_cast<v1::Breaker::Mode>(mode))), ModeName(mode));
  }
  EXPECT_EQ(v1::Breaker::METHOD, static_cast<int>(BreakerScope::kMethod));
  EXPECT_EQ(v1::Breaker::SERVICE, static_cast<int>(BreakerScope::kService));
  EXPECT_EQ(v1::Breaker::TARGET, static_cast<int>(BreakerScope::kTarget));
  EXPECT_EQ(v1::StandardBreaker::COUNT, static_cast<int>(StandardBreakerOptions::Window::kCount));
  EXPECT_EQ(v1::StandardBreaker::TIME, static_cast<int>(StandardBreakerOptions::Window::kTime));
  const google::protobuf::EnumDescriptor& codes = *v1::Retry::Code_descriptor();
  for (int i = 1; i < codes.value_count(); ++i) {
    EXPECT_EQ(codes.value(i)->name(), CodeName(static_cast<absl::StatusCode>(codes.value(i)->number())));
  }
}

TEST(PolicySchema, AnEmptyFileIsTheDefaults) {
  const absl::StatusOr<PolicySet> set = ParsePolicies("{}", FileFormat::kJson);
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(AsText(*set), AsText(PolicySet()));
}

TEST(PolicySchema, WhatIsLeftOutHasItsDefault) {
  const bool held = rc::check([] {
    const v1::PolicyFile full = PolicySetToProto(Everything());
    v1::PolicyFile part = full;
    for (const Leaf& leaf : Leaves(&part)) {
      const bool needed = leaf.index >= 0 || leaf.field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_STRING;
      if (!needed && *rc::gen::arbitrary<bool>()) leaf.parent->GetReflection()->ClearField(leaf.parent, leaf.field);
    }
    const absl::StatusOr<PolicySet> set = PolicySetFromProto(part, {});
    RC_ASSERT(set.ok());
    RC_ASSERT(set->Validate().ok());
    // Everything() differs from the defaults by its deadlines only.
    v1::PolicyFile completed = full;
    const std::vector<const google::protobuf::FieldDescriptor*> deadlines = {
        v1::MethodConfig::descriptor()->FindFieldByName("deadline"), v1::MethodConfig::descriptor()->FindFieldByName("attempt_timeout"),
        v1::MethodConfig::descriptor()->FindFieldByName("stream_idle_timeout")};
    const auto strip = [&](auto* configs, const auto& from) {
      for (int i = 0; i < configs->size(); ++i) {
        for (const auto* const field : deadlines) {
          v1::MethodConfig* const config = configs->Mutable(i);
          if (!from.Get(i).GetReflection()->HasField(from.Get(i), field)) config->GetReflection()->ClearField(config, field);
        }
      }
    };
    strip(completed.mutable_method_config(), part.method_config());
    strip(completed.mutable_targets(0)->mutable_method_config(), part.targets(0).method_config());
    RC_ASSERT(AsText(*set) == AsText(completed));
  });
  EXPECT_TRUE(held);
}

TEST(PolicySchema, JsonAndTextFormatComeBackTheSame) {
  const bool held = rc::check([] {
    absl::StatusOr<PolicySet> set = Everything();
    for (int changes = *rc::gen::inRange(1, 10); changes > 0; --changes) {
      v1::PolicyFile file = PolicySetToProto(*set);
      const std::vector<Leaf> leaves = Leaves(&file);
      Nudge(leaves[*rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, leaves.size()))], *rc::gen::element(1, -1));
      if (absl::StatusOr<PolicySet> changed = PolicySetFromProto(file, {}); changed.ok()) set = *std::move(changed);
    }
    RC_ASSERT(set->Validate().ok());
    const absl::StatusOr<PolicySet> from_json = ParsePolicies(PolicySetToJson(*set), FileFormat::kJson);
    RC_ASSERT(from_json.ok());
    RC_ASSERT(AsText(*from_json) == AsText(*set));
    const absl::StatusOr<PolicySet> from_text = ParsePolicies(AsText(*set), FileFormat::kText);
    RC_ASSERT(from_text.ok());
    RC_ASSERT(AsText(*from_text) == AsText(*set));
  });
  EXPECT_TRUE(held);
}

TEST(PolicySchema, NoCodeAtAllCanBeSaid) {
  PolicySet set;
  set.defaults.defaults.retry.retryable_codes.clear();
  const absl::StatusOr<PolicySet> back = ParsePolicies(PolicySetToJson(set), FileFormat::kJson);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(back->defaults.defaults.retry.retryable_codes.empty());
}

}  // namespace
}  // namespace recloser
