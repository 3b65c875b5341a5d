// One fault of the wire, and whether every call that meets it ends as it should: once, with the status that a bare channel gives, repeated
// only where that is safe, and counted by the breaker as the table says.
#ifndef RECLOSER_TEST_GRPC_WIRE_JUDGE_H_
#define RECLOSER_TEST_GRPC_WIRE_JUDGE_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "api_forms.h"
#include "fixture.h"
#include "recloser/core/outcome.h"

namespace recloser::testing {

/// What a channel is made with.
struct Endpoint {
  std::string target;
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  grpc::ChannelArguments arguments{};
};

/// Channels that share no connection with any other and reconnect as soon as gRPC can (after 0.1 s).
std::shared_ptr<grpc::ChannelInterface> BareChannel(const Endpoint& endpoint);
std::shared_ptr<grpc::ChannelInterface> RecloserChannel(Attach attach, const Endpoint& endpoint, const Policies& policies,
                                                        const std::shared_ptr<Registry>& registry);

/// What stands between a client and its service, with a fault in it.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual Endpoint endpoint() const = 0;
  /// Calls that the service itself has seen; -1: there is no way to know.
  virtual int served() const { return -1; }
};

/// Waits of a few milliseconds, and more attempts than usual: one that begins at once may meet the connection that is just breaking.
Policies PersistentRetries();

inline constexpr int kAlways = 1 << 30;

/// A row of the tables. What documents say of it is made of the first four.
struct FaultRow {
  std::string fault;
  grpc::StatusCode code;  // of an attempt that meets it
  /// An idempotent call is repeated, by the default policies.
  bool retried;
  Outcome outcome;
  /// The stage, where the fault hits the first `times` connections or calls.
  std::function<std::unique_ptr<Stage>(int times)> make;
  /// The caller's; for faults that only a deadline ends.
  std::chrono::milliseconds deadline = std::chrono::seconds(15);
  /// gRPC itself gets a call through that meets the fault only once: it made no connection, or the service did not look at it.
  bool repaired_by_grpc = false;
  /// It hits all the calls there are, whatever `times` says.
  bool lasts = false;
  /// In the document, where rows that end alike are one; empty: `fault`.
  std::string document_as{};
  /// What the attempt ends with, where gRPC tells the caller something else.
  std::optional<grpc::StatusCode> attempt_code{};
};
std::ostream& operator<<(std::ostream& out, const FaultRow& row);

/// Unary calls of `form`: alone on a bare channel, then on Recloser's.
void Judge(const FaultRow& row, Form form, Attach attach);
/// A stream, which is never repeated.
void Judge(const FaultRow& row, StreamForm form, Stream stream, Attach attach);

/// All rows, in one form.
void JudgeAll(const std::vector<FaultRow>& rows);
/// The rows of these names, in every form of a unary call and of these streams, attached in both ways.
void JudgeInEveryForm(const std::vector<FaultRow>& rows, const std::vector<std::string>& faults,
                      const std::vector<Stream>& streams = {std::begin(kAllStreams), std::end(kAllStreams)});
/// `task` with every number below `count`, several at once: most of the time they wait.
void AtOnce(std::size_t count, const std::function<void(std::size_t)>& task);

/// A registry with an observer, and what must hold when nothing is under way any more.
class Witness {
 public:
  Witness();
  const std::shared_ptr<Registry>& registry() const { return registry_; }
  Tally::Totals totals() const { return tally_->totals(); }
  std::shared_ptr<SharedBreaker> breaker() const { return registry_->List().at(0); }
  /// All calls and attempts ended, each once; no permit is out; no invariant was broken.
  void ExpectAllEnded() const;

 private:
  const std::shared_ptr<Registry> registry_ = Registry::Create();
  const std::shared_ptr<Tally> tally_ = std::make_shared<Tally>();
};

/// The tables, for the document; each stands with its test.
std::vector<FaultRow> ConnectionFaults();
std::vector<FaultRow> StreamErrors();
std::vector<FaultRow> BadResponses();
std::vector<FaultRow> GatewayAnswers();
std::vector<FaultRow> TlsFaults();

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_WIRE_JUDGE_H_
