// The matrix's service: one server for all cells. A call says in its metadata whose it is; the service answers each attempt as that
// cell's script says and writes down what it saw.
#ifndef RECLOSER_TEST_GRPC_MATRIX_SERVICE_H_
#define RECLOSER_TEST_GRPC_MATRIX_SERVICE_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "recloser/demo/v1/echo.grpc.pb.h"
#include "scripted_server.h"

namespace recloser::testing::matrix {

/// The metadata key by which the service tells calls apart.
inline constexpr char kCallKey[] = "matrix-call";

/// For both ends of its connections: large messages go in one piece, which on a busy machine is many times faster.
inline constexpr std::pair<const char*, int> kTransportArguments[] = {
    {GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 16 << 20},
    {GRPC_ARG_HTTP2_MAX_FRAME_SIZE, (16 << 20) - 1},
    {GRPC_ARG_HTTP2_BDP_PROBE, 0},
};

struct SeenAttempt : Seen {
  std::string compression;  // of the requests; empty where this gRPC does not say
  int requests = 0;         // of client and bidi streams
};

/// What the service saw of one call.
class CallLog {
 public:
  std::vector<SeenAttempt> seen() const;
  /// Attempts that have everything the client sends and get no answer.
  int waiting() const;

 private:
  friend class Service;
  friend class Attempt;
  mutable std::mutex mutex_;
  std::vector<SeenAttempt> seen_;
  int waiting_ = 0;
};

/// Clients' streams are read to their end before the answer, so that a client's writes have one outcome. `Reply::delay` comes before the
/// first message, `until_cancelled` after the last one.
class Service final : private demo::v1::Echo::CallbackService {
 public:
  /// The answer to attempt `number`, from 1.
  using Script = std::function<Reply(int number)>;

  Service();
  ~Service() override;

  const std::string& target() const { return target_; }
  /// Prepares for a call; until `Forget` its attempts are answered by `script`.
  std::shared_ptr<CallLog> Expect(const std::string& call, Script script);
  void Forget(const std::string& call);

 private:
  struct Expected {
    Script script;
    std::shared_ptr<CallLog> log;
  };
  class UnaryAttempt;
  class ServerStreamAttempt;
  class ClientStreamAttempt;
  class BidiStreamAttempt;

  /// Notes the attempt that has arrived and asks the script.
  class Attempt Arrive(const char* method, grpc::CallbackServerContext* context, const std::string& payload);

  grpc::ServerUnaryReactor* Echo(grpc::CallbackServerContext*, const demo::v1::EchoRequest*, demo::v1::EchoResponse*) override;
  grpc::ServerUnaryReactor* Increment(grpc::CallbackServerContext*, const demo::v1::EchoRequest*, demo::v1::EchoResponse*) override;
  grpc::ServerWriteReactor<demo::v1::EchoResponse>* ServerStream(grpc::CallbackServerContext*, const demo::v1::EchoRequest*) override;
  grpc::ServerReadReactor<demo::v1::EchoRequest>* ClientStream(grpc::CallbackServerContext*, demo::v1::EchoResponse*) override;
  grpc::ServerBidiReactor<demo::v1::EchoRequest, demo::v1::EchoResponse>* BidiStream(grpc::CallbackServerContext*) override;

  std::string target_;
  std::unique_ptr<grpc::Server> server_;
  std::mutex mutex_;
  std::map<std::string, Expected> expected_;
};

}  // namespace recloser::testing::matrix

#endif  // RECLOSER_TEST_GRPC_MATRIX_SERVICE_H_
