// Connections that break, hang or never come about: what a proxy does between a client and a service that is well.
#include <gtest/gtest.h>

#include <memory>

#include "judge.h"
#include "proxy.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

using Action = WireFault::Action;

class Proxied final : public Stage {
 public:
  Proxied(const WireFault& fault, int times) : server_([](const Seen&) { return Reply(); }), proxy_(server_.target()) {
    proxy_.Harm(fault, times);
  }
  Endpoint endpoint() const override { return {proxy_.target(), grpc::InsecureChannelCredentials(), arguments_}; }
  int served() const override { return server_.attempts(); }
  grpc::ChannelArguments& arguments() { return arguments_; }

 private:
  ScriptedServer server_;
  WireProxy proxy_;
  grpc::ChannelArguments arguments_;
};

std::function<std::unique_ptr<Stage>(int)> With(const Place& place, Action action, milliseconds time = milliseconds(0),
                                                std::size_t bytes = 1) {
  const WireFault fault{place, action, time, bytes};
  return [fault](int times) { return std::make_unique<Proxied>(fault, times); };
}

// A port that nobody listens at.
class Refusing final : public Stage {
 public:
  Refusing() { proxy_.Refuse(); }
  Endpoint endpoint() const override { return {proxy_.target()}; }
  int served() const override { return proxy_.connections(); }

 private:
  WireProxy proxy_{"127.0.0.1:1"};
};

// With pings that find out what hangs.
std::function<std::unique_ptr<Stage>(int)> WithKeepalive(const Place& place) {
  return [place](int times) {
    auto stage = std::make_unique<Proxied>(WireFault{place, Action::kStall}, times);
    stage->arguments().SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 50);
    stage->arguments().SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 100);
    return stage;
  };
}

constexpr auto kUnavailable = grpc::StatusCode::UNAVAILABLE;
constexpr auto kDeadlineExceeded = grpc::StatusCode::DEADLINE_EXCEEDED;
constexpr milliseconds kShort(100);

}  // namespace

std::vector<FaultRow> ConnectionFaults() {
  const Outcome failure = Outcome::kFailure;
  FaultRow refused{"refused", kUnavailable, true, failure, [](int) { return std::make_unique<Refusing>(); }};
  FaultRow in_preface{"closed in the client's preface", kUnavailable, true, failure, With(kInPreface, Action::kCut)};
  FaultRow after_preface{"reset after the client's preface", kUnavailable, true, failure, With(kAfterPreface, Action::kReset)};
  FaultRow in_settings{"closed in the client's SETTINGS", kUnavailable, true, failure, With(kInClientSettings, Action::kCut)};
  // It is chance whether a call has begun by then, and so how one fares that meets the fault only once.
  for (FaultRow* row : {&refused, &in_preface, &after_preface, &in_settings}) row->lasts = true;
  return {
      refused,
      {"closed as soon as it is accepted", kUnavailable, true, failure, With(kBeforePreface, Action::kCut), seconds(15), true},
      in_preface,
      after_preface,
      in_settings,
      {"reset in the server's SETTINGS", kUnavailable, true, failure, With(kInServerSettings, Action::kReset), seconds(15), true},
      {"accepted, and then silence", kDeadlineExceeded, false, failure, With(kBeforePreface, Action::kStall), kShort, false},
      {"closed before the request's headers", kUnavailable, true, failure, With(kBeforeRequest, Action::kCut)},
      {"closed in the request's headers", kUnavailable, true, failure, With(kInRequestHeaders, Action::kCut)},
      {"reset in the request's message", kUnavailable, true, failure, With(kInRequestData, Action::kReset)},
      {"the client's half closed in the request's message", kUnavailable, true, failure, With(kInRequestData, Action::kTruncate)},
      {"closed after the request", kUnavailable, true, failure, With(kAfterRequest, Action::kCut)},
      {"reset after the request", kUnavailable, true, failure, With(kAfterRequest, Action::kReset)},
      {"closed before the response", kUnavailable, true, failure, With(kBeforeResponse, Action::kCut)},
      {"closed in the response's headers", kUnavailable, true, failure, With(kInResponseHeaders, Action::kCut)},
      {"closed in the response's message", kUnavailable, true, failure, With(kInResponseData, Action::kCut)},
      {"reset in the response's message", kUnavailable, true, failure, With(kInResponseData, Action::kReset)},
      {"the server's half closed in the response's message", kUnavailable, true, failure, With(kInResponseData, Action::kTruncate)},
      {"closed before the trailers", kUnavailable, true, failure, With(kBeforeTrailers, Action::kCut)},
      {"closed in the trailers", kUnavailable, true, failure, With(kInTrailers, Action::kCut)},
      {"closed after the trailers", grpc::StatusCode::OK, false, Outcome::kSuccess, With(kAfterTrailers, Action::kCut)},
      {"silent after the request", kDeadlineExceeded, false, failure, With(kAfterRequest, Action::kStall), kShort},
      {"silent in the response's message", kDeadlineExceeded, false, failure, With(kInResponseData, Action::kStall), kShort},
      {"silent after the request, with keepalive", kUnavailable, true, failure, WithKeepalive(kAfterRequest)},
      {"silent in the response's message, with keepalive", kUnavailable, true, failure, WithKeepalive(kInResponseData)},
      {"held up in the request's headers, within the deadline", grpc::StatusCode::OK, false, Outcome::kSuccess,
       With(kInRequestHeaders, Action::kDelay, milliseconds(30))},
      {"held up in the response's message, within the deadline", grpc::StatusCode::OK, false, Outcome::kSuccess,
       With(kInResponseData, Action::kDelay, milliseconds(30))},
      {"slow from the response's headers on, within the deadline", grpc::StatusCode::OK, false, Outcome::kSuccess,
       With(kBeforeResponse, Action::kThrottle, milliseconds(1), 4)},
  };
}

namespace {

TEST(WireConnections, FaultsAreJudged) { JudgeAll(ConnectionFaults()); }

TEST(WireConnections, SoTheyAreInEveryForm) {
  JudgeInEveryForm(ConnectionFaults(), {"closed as soon as it is accepted", "closed after the request", "closed in the response's headers",
                                        "reset in the response's message", "closed before the trailers", "closed after the trailers",
                                        "silent after the request", "silent after the request, with keepalive"});
}

}  // namespace
}  // namespace recloser::testing
