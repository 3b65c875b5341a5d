// One call of the load, and the API forms that can make it.
#ifndef RECLOSER_DEMO_SERVICES_LOAD_CLIENT_CALL_H_
#define RECLOSER_DEMO_SERVICES_LOAD_CLIENT_CALL_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <array>
#include <functional>
#include <memory>

#include "absl/strings/string_view.h"
#include "recloser/demo/v1/echo.pb.h"

namespace recloser::demo {

enum class Api { kSync, kCq, kCallback, kReactor, kGeneric, kCqTwoBatch, kServerStream, kClientStream, kBidiStream };
inline constexpr std::array<Api, 9> kApis = {Api::kSync,       Api::kCq,           Api::kCallback,     Api::kReactor,   Api::kGeneric,
                                             Api::kCqTwoBatch, Api::kServerStream, Api::kClientStream, Api::kBidiStream};
absl::string_view ApiName(Api api);  // "sync", "cq", "callback", "reactor", "generic", "cq-two-batch", "server-stream", ...

/// Lives until its end was told and every operation on it has come back. The context's deadline and the request are set before it starts.
struct Call {
  grpc::ClientContext context;
  v1::EchoRequest request;
  v1::EchoResponse response;
  std::chrono::steady_clock::time_point arrival;  // as scheduled
};

/// Told once per call, from any thread.
using CallEnded = std::function<void(const std::shared_ptr<Call>&, const grpc::Status&)>;

/// Makes calls in one API form. Thread safety: `Start` from one thread. Destroy it when every started call has ended.
class Caller {
 public:
  virtual ~Caller() = default;
  /// Never waits for the call.
  virtual void Start(std::shared_ptr<Call> call) = 0;
};

/// Messages in each direction of a stream.
inline constexpr int kStreamMessages = 3;

std::unique_ptr<Caller> MakeCaller(Api api, const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended);

// By threading model; `MakeCaller` picks.
std::unique_ptr<Caller> MakeSyncCaller(const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended);
std::unique_ptr<Caller> MakeQueueCaller(Api api, const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended);
std::unique_ptr<Caller> MakeCallbackCaller(Api api, const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended);
std::unique_ptr<Caller> MakeStreamCaller(Api api, const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_LOAD_CLIENT_CALL_H_
