// A connection that is cut after every single byte of a small exchange, in both directions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "judge.h"
#include "proxy.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

using Action = WireFault::Action;

#ifdef RECLOSER_SANITIZED
constexpr std::size_t kStride = 11;  // everything takes several times as long
#else
constexpr std::size_t kStride = 1;
#endif
constexpr std::size_t kStrideOfOtherForms = 23;

CallSpec Spec(const char* method, bool wait_for_ready) {
  CallSpec spec;
  spec.method = method;
  spec.prepare = [wait_for_ready](grpc::ClientContext& context) {
    context.set_deadline(std::chrono::system_clock::now() + seconds(15));
    context.set_wait_for_ready(wait_for_ready);
  };
  return spec;
}

// One place of the sweep: a server and a proxy of its own, and the calls that meet it.
class Cut {
 public:
  Cut(Toward toward, std::size_t byte) : fault_{AtByte(toward, byte), byte % 2 == 0 ? Action::kCut : Action::kReset} {
    proxy_.Harm(fault_, kAlways);
  }

  /// What arrived decides: OK where the whole response did, UNAVAILABLE where it did not. A reset takes away what was passed on and not
  /// read.
  void ExpectStatusOf(const CallResult& result) {
    const bool arrived = proxy_.ends_passed(Toward::kClient) > 0;
    const grpc::StatusCode expected = arrived ? grpc::StatusCode::OK : grpc::StatusCode::UNAVAILABLE;
    const grpc::StatusCode or_else = fault_.action == Action::kReset ? grpc::StatusCode::UNAVAILABLE : expected;
    EXPECT_THAT(result.status.error_code(), ::testing::AnyOf(expected, or_else)) << result.status.error_message();
    EXPECT_THAT(result.payload, ::testing::AnyOf("hello", "", kUntouched));
  }

  template <class MakeCall>
  void Bare(const MakeCall& make_call) {
    SCOPED_TRACE("bare");
    ExpectStatusOf(make_call(BareChannel({proxy_.target()}), Spec("Increment", false)));
  }

  template <class MakeCall>
  void NotRepeated(Attach attach, const MakeCall& make_call) {
    SCOPED_TRACE("not repeated");
    const Witness witness;
    const CallResult result =
        make_call(RecloserChannel(attach, {proxy_.target()}, FastRetries(), witness.registry()), Spec("Increment", false));
    ExpectStatusOf(result);
    const Tally::Totals totals = witness.totals();
    ASSERT_EQ(totals.attempts.size(), 1u);
    EXPECT_EQ(totals.attempts[0].outcome, result.status.ok() ? Outcome::kSuccess : Outcome::kFailure);
    EXPECT_EQ(totals.attempts[0].code, static_cast<absl::StatusCode>(result.status.error_code()));
    EXPECT_LE(server_.attempts(), 1);
    witness.ExpectAllEnded();
  }

  void Recovers(Form form, Attach attach) {
    SCOPED_TRACE("recovers");
    proxy_.Harm(fault_, 1);
    const Witness witness;
    const auto channel = RecloserChannel(attach, {proxy_.target()}, PersistentRetries(), witness.registry());
    const CallResult result = Call(form, channel, Spec("Echo", true));
    EXPECT_TRUE(result.status.ok()) << result.status.error_message();
    EXPECT_EQ(result.payload, "hello");
    const Tally::Totals totals = witness.totals();
    for (const AttemptFinished& attempt : totals.attempts) {
      const bool last = attempt.number == totals.attempts_finished;
      EXPECT_EQ(attempt.outcome, last ? Outcome::kSuccess : Outcome::kFailure);
      EXPECT_EQ(attempt.code, last ? absl::StatusCode::kOk : absl::StatusCode::kUnavailable);
    }
    EXPECT_LE(server_.attempts(), totals.attempts_finished);
    witness.ExpectAllEnded();
  }

 private:
  ScriptedServer server_{[](const Seen&) { return Reply(); }};
  WireProxy proxy_{server_.target()};
  const WireFault fault_;
};

/// Bytes of a healthy exchange, some acknowledgements after its end included.
std::size_t Length(Toward toward) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  WireProxy proxy(server.target());
  EXPECT_TRUE(Call(Form::kSync, BareChannel({proxy.target()}), Spec("Increment", false)).status.ok());
  return proxy.passed(0, toward);
}

/// `judge` at every `stride`th byte of both directions, several at once.
template <class JudgeCut>
void Sweep(std::size_t stride, const JudgeCut& judge) {
  std::vector<std::pair<Toward, std::size_t>> places;
  for (const Toward toward : {Toward::kServer, Toward::kClient}) {
    const std::size_t length = Length(toward);
    EXPECT_GT(length, 100u);
    for (std::size_t byte = 0; byte <= length; byte += stride) places.emplace_back(toward, byte);
  }
  AtOnce(places.size(), [&](std::size_t place) {
    const auto& [toward, byte] = places[place];
    SCOPED_TRACE(::testing::Message() << "byte " << byte << (toward == Toward::kServer ? " of the request" : " of the response"));
    judge(toward, byte, place);
  });
}

TEST(ByteSweep, ASyncCallEndsRightWhereverItsConnectionIsCut) {
  Sweep(kStride, [](Toward toward, std::size_t byte, std::size_t place) {
    const auto call = [](const auto& channel, CallSpec spec) { return Call(Form::kSync, channel, std::move(spec)); };
    const Attach attach = kBothAttachments[place % 2];
    Cut(toward, byte).Bare(call);
    Cut(toward, byte).NotRepeated(attach, call);
    Cut(toward, byte).Recovers(Form::kSync, attach);
  });
}

TEST(ByteSweep, SoDoTheOtherForms) {
  Sweep(kStrideOfOtherForms, [](Toward toward, std::size_t byte, std::size_t place) {
    for (const Form form : kAllForms) {
      SCOPED_TRACE(form);
      const Attach attach = kBothAttachments[place % 2];
      Cut(toward, byte).NotRepeated(attach, [form](const auto& channel, CallSpec spec) { return Call(form, channel, std::move(spec)); });
      Cut(toward, byte).Recovers(form, attach);
    }
  });
}

TEST(ByteSweep, SoDoStreams) {
  Sweep(kStrideOfOtherForms, [](Toward toward, std::size_t byte, std::size_t place) {
    for (const StreamForm form : kAllStreamForms) {
      for (const Stream stream : kAllStreams) {
        SCOPED_TRACE(::testing::Message() << StreamFormName(form) << ' ' << StreamName(stream));
        const auto call = [form, stream](const auto& channel, CallSpec spec) { return Call(form, stream, channel, std::move(spec)); };
        Cut(toward, byte).Bare(call);
        Cut(toward, byte).NotRepeated(kBothAttachments[place % 2], call);
      }
    }
  });
}

}  // namespace
}  // namespace recloser::testing
