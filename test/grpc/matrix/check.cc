#include "check.h"

#include <grpcpp/version_info.h>

#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace recloser::testing::matrix {
namespace {

using Strings = std::multimap<std::string, std::string>;

Strings Without(Strings metadata, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) metadata.erase(key);
  return metadata;
}

void CheckRejection(const CallResult& result, const std::string& target) {
  EXPECT_THAT(result.status.error_message(), ::testing::HasSubstr(target + " recloser.demo.v1.Echo/"));
  EXPECT_EQ(result.trailers.count(kRejectedByTrailer), 1u);
  EXPECT_TRUE(result.headers.empty());
  EXPECT_EQ(result.messages, 0);
  EXPECT_EQ(result.written, 0);
  EXPECT_TRUE(result.tag_ok);
}

void CheckCode(const Cell& cell, const CallResult& result, const CallResult& bare) {
  if (!cell.situation->codes.empty()) {
    EXPECT_EQ(cell.situation->codes.count(result.status.error_code()), 1u)
        << result.status.error_code() << ": " << result.status.error_message();
    return;
  }
  EXPECT_EQ(result.status.error_code(), bare.status.error_code()) << result.status.error_message();
  EXPECT_EQ(result.status.error_message(), bare.status.error_message());
  EXPECT_EQ(result.status.error_details(), bare.status.error_details());
}

}  // namespace

void CheckClient(const Cell& cell, const Sight& sight, const Sight& bare, const Tally::Totals& totals, const std::string& target) {
  const CallResult& result = sight.result;
  CheckCode(cell, result, bare.result);
  if (cell.situation->forced_open) return CheckRejection(result, target);

  const Strings trailers = Without(result.trailers, {kAttemptsTrailer});
  const int attempts = totals.calls.empty() ? 0 : totals.calls.back().attempts;
  if (attempts > 1) {
    EXPECT_THAT(result.trailers, ::testing::Contains(::testing::Pair(kAttemptsTrailer, std::to_string(attempts))));
    EXPECT_EQ(result.trailers.size(), trailers.size() + 1);
  } else {
    EXPECT_EQ(result.trailers.count(kAttemptsTrailer), 0u);
  }
  EXPECT_EQ(result.tag_ok, bare.result.tag_ok);
  // The deadline that a context tells stays the caller's.
  if (sight.deadline) {
    EXPECT_LT(std::chrono::abs(result.deadline - *sight.deadline), milliseconds(1));
  }
  if (cell.situation->ends_locally) {
    EXPECT_TRUE(result.headers.empty() || cell.column->is(Stream::kServer) || cell.column->is(Stream::kBidi));
    EXPECT_TRUE(trailers.empty());
    return;
  }
  EXPECT_EQ(result.payload, bare.result.payload);
  EXPECT_EQ(result.messages, bare.result.messages);
  if (!cell.situation->timed) {
    EXPECT_EQ(result.written, bare.result.written);
  }
  EXPECT_EQ(result.headers, bare.result.headers);
  EXPECT_EQ(trailers, bare.result.trailers);
  // A later attempt's peer can't be shown: it is the first one's, or before that one had any, as in a relayed call, the target.
  const bool relayed = cell.mode != Mode::kOff && cell.column->in_two_batches();
  if (cell.attempts() == 1 && !relayed && !cell.situation->timed) {
    EXPECT_EQ(result.peer, bare.result.peer);
  } else {
    const std::string unconnected = GRPC_CPP_VERSION_MINOR < 83 ? target : "dns:///" + target;
    EXPECT_THAT(result.peer, ::testing::AnyOf(unconnected, "ipv4:" + target));
  }
}

void CheckService(const Cell& cell, const Sight& sight, const Sight& bare, const Tally::Totals& totals) {
  const Policies policies = PoliciesOf(cell);
  if (!cell.situation->timed) {
    EXPECT_EQ(static_cast<int>(sight.seen.size()), cell.attempts());
  }
  EXPECT_LE(static_cast<int>(sight.seen.size()), totals.attempts_started);
  for (const SeenAttempt& seen : sight.seen) {
    SCOPED_TRACE("attempt " + std::to_string(seen.index + 1) + " as the service saw it");
    const auto before = seen.metadata.find(kPreviousAttemptsHeader);
    EXPECT_EQ(before == seen.metadata.end() ? "0" : before->second, std::to_string(seen.index));
    const auto core = seen.metadata.find("grpc-previous-rpc-attempts");  // only where gRPC's core lets it pass
    if (core != seen.metadata.end()) {
      EXPECT_EQ(core->second, std::to_string(seen.index));
    }
    if (bare.seen.empty()) continue;  // too late for it
    const SeenAttempt& usual = bare.seen.front();
    EXPECT_EQ(Without(seen.metadata, {kCallKey, kPreviousAttemptsHeader, "grpc-previous-rpc-attempts"}),
              Without(usual.metadata, {kCallKey}));
    EXPECT_EQ(seen.method, usual.method);
    EXPECT_EQ(seen.payload, usual.payload);
    EXPECT_EQ(seen.authority, usual.authority);
    EXPECT_EQ(seen.compression, usual.compression);
    if (!cell.situation->timed) {
      EXPECT_EQ(seen.requests, usual.requests);
    }
    // The policy's deadlines are sent where Recloser makes the call, the caller's and a parent's always.
    const MethodPolicy& policy = policies.defaults;
    if (usual.deadline_left || (!policy.deadline && !policy.attempt_timeout)) {
      EXPECT_EQ(seen.deadline_left.has_value(), usual.deadline_left.has_value());
    } else if (cell.attach == Attach::kDecorator && policy.deadline) {
      EXPECT_TRUE(seen.deadline_left.has_value());
    }
    if (!seen.deadline_left) continue;
    Duration longest = cell.situation->deadline.value_or(milliseconds(50'000));
    if (policy.deadline && !cell.situation->deadline) longest = std::max(longest, *policy.deadline);
    EXPECT_LE(*seen.deadline_left, longest + longest / 100 + milliseconds(1000));  // gRPC rounds them up
    EXPECT_GT(*seen.deadline_left, cell.situation->timed ? milliseconds(-20'000) : milliseconds(0));
  }
}

void CheckObservers(const Cell& cell, const Sight& sight, const Registry& registry, const Tally& tally) {
  EXPECT_TRUE(Eventually([&] { return tally.totals().calls_finished == tally.totals().calls_started; }));
  const Tally::Totals totals = tally.totals();
  const int extra = cell.situation->forced_open ? 1 : 0;  // the call that made the breaker
  EXPECT_EQ(totals.calls_started, 1 + extra);
  EXPECT_EQ(totals.attempts_started, totals.attempts_finished);
  if (!cell.situation->timed) {
    EXPECT_EQ(totals.attempts_started, cell.attempts() + extra);
  } else {
    EXPECT_GE(totals.attempts_started, static_cast<int>(sight.seen.size()));
  }
  EXPECT_EQ(totals.rejected, extra);
  EXPECT_THAT(totals.problems, ::testing::IsEmpty());
  ASSERT_FALSE(totals.calls.empty());
  EXPECT_EQ(static_cast<int>(totals.calls.back().code), static_cast<int>(sight.result.status.error_code()));
  EXPECT_EQ(totals.calls.back().attempts, totals.attempts_started - extra);
  EXPECT_EQ(registry.listener_errors(), 0u);
  for (const auto& breaker : registry.List()) {
    EXPECT_TRUE(Eventually([&] { return breaker->Snapshot(Now()).permits_in_flight == 0; }));
    EXPECT_EQ(breaker->Snapshot(Now()).invariant_violations, 0u);
  }
  EXPECT_EQ(registry.List().empty(), cell.mode == Mode::kOff);
}

void CheckOthers(const Cell& cell, const Sight& sight, const Sight& bare) {
  const auto count = [](const std::map<std::string, int>& counts, const std::string& what) {
    const auto it = counts.find(what);
    return it == counts.end() ? 0 : it->second;
  };
  if (cell.situation->others != Others::kPassing) return;
  const std::string status = "status " + std::to_string(sight.result.status.error_code());
  EXPECT_EQ(count(sight.outside, status), 1);
  EXPECT_EQ(count(sight.inside, status), 1);
  EXPECT_EQ(count(sight.outside, "PRE_SEND_INITIAL_METADATA"), 1);
  EXPECT_EQ(count(sight.inside, "PRE_SEND_INITIAL_METADATA"), cell.attempts());
  EXPECT_EQ(count(sight.inside, "POST_RECV_STATUS"), cell.attempts());
  if (cell.mode == Mode::kOff) {
    EXPECT_EQ(sight.outside, bare.outside);
    EXPECT_EQ(sight.inside, bare.inside);
  }
}

}  // namespace recloser::testing::matrix
