#include "judge.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "recloser/core/outcome.h"

namespace recloser::testing {
namespace {

using ::testing::Each;
using ::testing::Field;

void Prepare(grpc::ChannelArguments& arguments) {
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  for (const char* backoff : {GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, GRPC_ARG_MAX_RECONNECT_BACKOFF_MS}) arguments.SetInt(backoff, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);  // in truth the time that a connection may take to come about
}

CallSpec Spec(const FaultRow& row, const char* method, bool wait_for_ready = false) {
  CallSpec spec;
  spec.method = method;
  spec.prepare = [&row, wait_for_ready](grpc::ClientContext& context) {
    context.set_deadline(std::chrono::system_clock::now() + row.deadline);
    context.set_wait_for_ready(wait_for_ready);
  };
  return spec;
}

std::multimap<std::string, std::string> WithoutDate(std::multimap<std::string, std::string> metadata) {
  metadata.erase("date");  // nginx says it
  return metadata;
}

void ExpectSame(const CallResult& bare, const CallResult& result) {
  EXPECT_EQ(result.status.error_code(), bare.status.error_code()) << result.status.error_message();
  EXPECT_EQ(result.status.error_details(), bare.status.error_details());
  EXPECT_EQ(result.tag_ok, bare.tag_ok);
  EXPECT_EQ(WithoutDate(result.headers), WithoutDate(bare.headers));
}

// OK comes with one whole message. What arrived before a call failed may stay with the caller, as gRPC has it.
void ExpectWhole(const CallResult& result) {
  if (result.status.ok()) {
    EXPECT_EQ(result.payload, CallSpec().payload);
  }
}

// What is sent again by gRPC itself arrives twice for one attempt.
int Served(const FaultRow& row, int attempts) { return row.repaired_by_grpc ? 2 * attempts : attempts; }

void ExpectAttempts(const Tally::Totals& totals, const FaultRow& row, std::size_t attempts) {
  EXPECT_EQ(totals.attempts.size(), attempts);
  EXPECT_THAT(totals.attempts, Each(Field(&AttemptFinished::code, static_cast<absl::StatusCode>(row.attempt_code.value_or(row.code)))));
  EXPECT_THAT(totals.attempts, Each(Field(&AttemptFinished::outcome, row.outcome)));
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const FaultRow& row) { return out << row.fault; }

std::shared_ptr<grpc::ChannelInterface> BareChannel(const Endpoint& endpoint) {
  grpc::ChannelArguments arguments = endpoint.arguments;
  Prepare(arguments);
  return grpc::CreateCustomChannel(endpoint.target, endpoint.credentials, arguments);
}

std::shared_ptr<grpc::ChannelInterface> RecloserChannel(Attach attach, const Endpoint& endpoint, const Policies& policies,
                                                        const std::shared_ptr<Registry>& registry) {
  ChannelOptions options;
  options.arguments = endpoint.arguments;
  Prepare(options.arguments);
  options.registry = registry;
  if (attach == Attach::kDecorator) return CreateChannel(endpoint.target, endpoint.credentials, policies, std::move(options));
  return CreateInterceptedChannel(endpoint.target, endpoint.credentials, policies, std::move(options));
}

Policies PersistentRetries() {
  Policies policies = FastRetries();
  policies.defaults.retry.max_attempts = 6;
  return policies;
}

Witness::Witness() { registry_->AddObserver(tally_); }

void Witness::ExpectAllEnded() const {
  for (const auto& breaker : registry_->List()) {
    EXPECT_TRUE(Eventually([&] { return breaker->Snapshot(Now()).permits_in_flight == 0; })) << breaker->id().name();
    EXPECT_EQ(breaker->Snapshot(Now()).invariant_violations, 0u) << breaker->id().name();
  }
  const Tally::Totals totals = tally_->totals();
  EXPECT_EQ(totals.calls_started, totals.calls_finished);
  EXPECT_EQ(totals.attempts_started, totals.attempts_finished);
  EXPECT_THAT(totals.problems, ::testing::IsEmpty());
}

void Judge(const FaultRow& row, Form form, Attach attach) {
  SCOPED_TRACE(::testing::Message() << row.fault << ", " << form << ", " << AttachName(attach));
  CallResult bare;
  {
    const auto stage = row.make(kAlways);
    bare = Call(form, BareChannel(stage->endpoint()), Spec(row, "Increment"));
    EXPECT_EQ(bare.status.error_code(), row.code) << "a bare channel: " << bare.status.error_message();
  }
  {
    SCOPED_TRACE("not idempotent");
    const Witness witness;
    const auto stage = row.make(kAlways);
    const CallResult result =
        Call(form, RecloserChannel(attach, stage->endpoint(), FastRetries(), witness.registry()), Spec(row, "Increment"));
    ExpectSame(bare, result);
    EXPECT_EQ(WithoutDate(result.trailers), WithoutDate(bare.trailers));
    ExpectWhole(result);
    ExpectAttempts(witness.totals(), row, 1);
    EXPECT_LE(stage->served(), Served(row, 1));
    witness.ExpectAllEnded();
  }
  {
    SCOPED_TRACE("idempotent, the fault stays");
    const Witness witness;
    const auto stage = row.make(kAlways);
    const CallResult result = Call(form, RecloserChannel(attach, stage->endpoint(), FastRetries(), witness.registry()), Spec(row, "Echo"));
    ExpectSame(bare, result);
    ExpectWhole(result);
    ExpectAttempts(witness.totals(), row, row.retried ? 3 : 1);
    EXPECT_LE(stage->served(), Served(row, row.retried ? 3 : 1));
    witness.ExpectAllEnded();
  }
  if (!row.lasts) {
    SCOPED_TRACE("idempotent, the fault goes");
    const Witness witness;
    const auto stage = row.make(1);
    const auto channel = RecloserChannel(attach, stage->endpoint(), PersistentRetries(), witness.registry());
    const CallResult result = Call(form, channel, Spec(row, "Echo", /*wait_for_ready=*/true));
    const bool recovers = row.retried || row.repaired_by_grpc || row.code == grpc::StatusCode::OK;
    EXPECT_EQ(result.status.ok(), recovers) << result.status.error_message();
    ExpectWhole(result);
    Tally::Totals totals = witness.totals();
    EXPECT_LE(stage->served(), Served(row, totals.attempts_finished));
    if (recovers && !totals.attempts.empty()) {
      EXPECT_EQ(totals.attempts.back().outcome, Outcome::kSuccess);
      totals.attempts.pop_back();
    }
    const bool repeated = row.retried && !row.repaired_by_grpc;
    EXPECT_EQ(totals.attempts.empty(), recovers && !repeated);
    ExpectAttempts(totals, row, totals.attempts.size());
    witness.ExpectAllEnded();
  }
}

void Judge(const FaultRow& row, StreamForm form, Stream stream, Attach attach) {
  SCOPED_TRACE(::testing::Message() << row.fault << ", " << StreamFormName(form) << ' ' << StreamName(stream) << ", "
                                    << AttachName(attach));
  const auto bare_stage = row.make(kAlways);
  const CallResult bare = Call(form, stream, BareChannel(bare_stage->endpoint()), Spec(row, ""));
  EXPECT_EQ(bare.status.error_code(), row.code) << "a bare channel: " << bare.status.error_message();
  const Witness witness;
  const auto stage = row.make(kAlways);
  const CallResult result =
      Call(form, stream, RecloserChannel(attach, stage->endpoint(), FastRetries(), witness.registry()), Spec(row, ""));
  ExpectSame(bare, result);
  EXPECT_EQ(WithoutDate(result.trailers), WithoutDate(bare.trailers));
  if (result.status.ok()) {  // else it is chance which messages arrive before the end
    EXPECT_EQ(result.messages, bare.messages);
  }
  ExpectAttempts(witness.totals(), row, 1);
  EXPECT_LE(stage->served(), Served(row, 1));
  witness.ExpectAllEnded();
}

void AtOnce(std::size_t count, const std::function<void(std::size_t)>& task) {
  constexpr int kThreads = 8;
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (std::size_t number = next++; number < count; number = next++) task(number);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void JudgeAll(const std::vector<FaultRow>& rows) {
  AtOnce(rows.size(), [&](std::size_t i) { Judge(rows[i], Form::kSync, Attach::kDecorator); });
}

void JudgeInEveryForm(const std::vector<FaultRow>& rows, const std::vector<std::string>& faults, const std::vector<Stream>& streams) {
  std::vector<std::function<void()>> tasks;
  for (const std::string& fault : faults) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const FaultRow& candidate) { return candidate.fault == fault; });
    ASSERT_NE(row, rows.end()) << fault;
    for (const Attach attach : kBothAttachments) {
      for (const Form form : kAllForms) tasks.emplace_back([=] { Judge(*row, form, attach); });
      for (const StreamForm form : kAllStreamForms) {
        for (const Stream stream : streams) tasks.emplace_back([=] { Judge(*row, form, stream, attach); });
      }
    }
  }
  AtOnce(tasks.size(), [&](std::size_t i) { tasks[i](); });
}

}  // namespace recloser::testing
