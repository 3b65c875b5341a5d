// A gRPC server on a free loopback port whose answers a test scripts, and which writes down what reached it.
#ifndef RECLOSER_TEST_GRPC_SCRIPTED_SERVER_H_
#define RECLOSER_TEST_GRPC_SCRIPTED_SERVER_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "recloser/channel.h"
#include "recloser/demo/v1/echo.grpc.pb.h"

namespace recloser::testing {

/// One attempt as the service saw it.
struct Seen {
  std::string method;  // "Echo", "ServerStream", ...
  std::string payload;
  std::multimap<std::string, std::string> metadata;
  std::string authority;
  std::optional<std::chrono::milliseconds> deadline_left;
  int index = 0;  // 0-based, over all attempts that reached the server
};

/// Writes down what a server's context tells of an attempt.
void Note(const grpc::ServerContextBase& context, Seen& seen);

/// What the service does with one attempt.
struct Reply {
  grpc::Status status;
  std::chrono::milliseconds delay{0};
  bool until_cancelled = false;      // never answer: wait for the client to go away
  bool headers_first = false;        // server streams: send the headers before the delay
  int messages = 1;                  // server and bidi streams: messages before the status
  std::chrono::milliseconds gap{0};  // server and bidi streams: before each message
  std::string payload;               // empty: the request's
  std::multimap<std::string, std::string> headers;
  std::multimap<std::string, std::string> trailers;
};

class ScriptedServer final : private demo::v1::Echo::Service {
 public:
  using Script = std::function<Reply(const Seen&)>;

  /// `address`: "127.0.0.1:port"; `configure`: what else the server is built with.
  explicit ScriptedServer(Script script, std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials(),
                          std::string address = "127.0.0.1:0", std::function<void(grpc::ServerBuilder&)> configure = nullptr);
  ~ScriptedServer() override;

  const std::string& target() const { return target_; }
  std::vector<Seen> seen() const;
  int attempts() const { return static_cast<int>(seen().size()); }
  void SetScript(Script script);
  std::shared_ptr<grpc::Channel> InProcessChannel(InterceptorFactories factories);
  /// Closes the port; attempts in flight may end within `grace`, then they end as a killed process would end them. `Start` opens the same
  /// port again.
  void Stop(std::chrono::milliseconds grace = std::chrono::milliseconds(0));
  void Start();

 private:
  template <class Respond>
  grpc::Status Serve(const char* method, grpc::ServerContext* context, const std::string& payload, const Respond& respond);

  grpc::Status Echo(grpc::ServerContext* context, const demo::v1::EchoRequest* request, demo::v1::EchoResponse* response) override;
  grpc::Status Increment(grpc::ServerContext* context, const demo::v1::EchoRequest* request, demo::v1::EchoResponse* response) override;
  grpc::Status ServerStream(grpc::ServerContext* context, const demo::v1::EchoRequest* request,
                            grpc::ServerWriter<demo::v1::EchoResponse>* writer) override;
  grpc::Status ClientStream(grpc::ServerContext* context, grpc::ServerReader<demo::v1::EchoRequest>* reader,
                            demo::v1::EchoResponse* response) override;
  grpc::Status BidiStream(grpc::ServerContext* context,
                          grpc::ServerReaderWriter<demo::v1::EchoResponse, demo::v1::EchoRequest>* stream) override;

  const std::shared_ptr<grpc::ServerCredentials> credentials_;
  std::string target_;
  const std::function<void(grpc::ServerBuilder&)> configure_;
  std::unique_ptr<grpc::Server> server_;
  mutable std::mutex mutex_;
  Script script_;
  std::vector<Seen> seen_;
};

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_SCRIPTED_SERVER_H_
