// No number of an event gets lost on its way to the log and the trace.
#include "transition_message.h"

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

namespace recloser {
namespace {

namespace v1 = events::v1;
using events_internal::ToMessage;

#if defined(__x86_64__) && defined(__GLIBCXX__)
static_assert(sizeof(BreakerTransition) == 408, "a new number: give it a field of the message, and write it below");
#endif

TEST(TransitionMessage, HoldsEveryNumber) {
  BreakerTransition t;
  t.from = BreakerState::kHalfOpen;
  t.to = BreakerState::kOpen;
  t.reason = TransitionReason::kLease;
  t.at = Time(std::chrono::seconds(1));
  t.generation = 1'000'000'000'000;
  t.time_in_from = std::chrono::seconds(2);
  t.offered_rate = 3;
  t.admitted_share = 0.4;
  t.context_calls = 1'000'000'000'000;
  t.context_failed = 6;
  t.context_slow = 7;
  t.context_bad = 8;
  t.context_required = 9;
  t.rating = 0.10;
  t.open_threshold = 0.11;
  t.close_threshold = 0.12;
  t.evidence = 13;
  t.evidence_limit = 14;
  t.consecutive_bad = 15;
  t.consecutive_bad_limit = 16;
  t.lease = std::chrono::milliseconds(17);
  t.outage = std::chrono::milliseconds(18);
  t.ramp_share = 0.19;
  t.healthy_latency = std::chrono::milliseconds(20);
  t.slow_call_duration = std::chrono::milliseconds(21);
  t.failure_rate = 0.22;
  t.failure_rate_threshold = 0.23;
  t.slow_call_rate = 0.24;
  t.slow_call_rate_threshold = 0.25;
  t.wait = std::chrono::milliseconds(26);
  t.scores = {{"errors", 0.27}};
  v1::Transition message;
  ToMessage(t, &message);
  const google::protobuf::Descriptor& fields = *v1::Transition::descriptor();
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *fields.field(i);
    const bool set =
        field.is_repeated() ? message.GetReflection()->FieldSize(message, &field) == 1 : message.GetReflection()->HasField(message, &field);
    EXPECT_TRUE(set) << field.name();
  }
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  EXPECT_TRUE(printer.PrintToString(message, &text));
  EXPECT_EQ(
      text,
      "from: \"half_open\" to: \"open\" reason: \"lease\" at_seconds: 1 generation: 4294967295 time_in_from_seconds: 2 offered_rate: 3 "
      "admitted_share: 0.4 context_calls: 2147483647 context_failed: 6 context_slow: 7 context_bad: 8 context_required: 9 rating: 0.1 "
      "open_threshold: 0.11 close_threshold: 0.12 scores { metric: \"errors\" score: 0.27 } evidence: 13 evidence_limit: 14 "
      "consecutive_bad: 15 consecutive_bad_limit: 16 outage_seconds: 0.018 ramp_share: 0.19 healthy_latency_seconds: 0.02 "
      "slow_call_duration_seconds: 0.021 failure_rate: 0.22 failure_rate_threshold: 0.23 slow_call_rate: 0.24 "
      "slow_call_rate_threshold: 0.25 wait_seconds: 0.026 lease_seconds: 0.017 ");
}

}  // namespace
}  // namespace recloser
