#include "service.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/async_unary_call.h>

#include <chrono>

#include "absl/strings/str_cat.h"
#include "recloser/rejection.h"

namespace recloser::bench {
namespace {

constexpr char kPreviousAttemptsKey[] = "grpc-previous-rpc-attempts";  // of gRPC's own retries; its client takes it off others' calls
constexpr char kPushbackKey[] = "grpc-retry-pushback-ms";
/// Calls waited for at any time.
constexpr int kPendingCalls = 2 * kMaxConcurrency;

}  // namespace

class Service::PendingCall {
 public:
  explicit PendingCall(Service* service) : service_(service) {
    service_->echo_.RequestEcho(&context_, &request_, &responder_, service_->queue_.get(), service_->queue_.get(), this);
  }

  void Answer() {
    answered_ = true;
    const auto& metadata = context_.client_metadata();
    const bool retried = metadata.count(kPreviousAttemptsKey) > 0 || metadata.count(kPreviousAttemptsHeader) > 0;
    if (request_.code() == demo::v1::UNAVAILABLE && !retried) {
      context_.AddTrailingMetadata(kPushbackKey, "0");
      return responder_.FinishWithError(grpc::Status(grpc::StatusCode::UNAVAILABLE, "the first attempt fails"), this);
    }
    response_.set_payload(request_.payload());
    responder_.Finish(response_, grpc::Status::OK, this);
  }
  bool answered() const { return answered_; }

 private:
  Service* const service_;
  grpc::ServerContext context_;
  demo::v1::EchoRequest request_;
  demo::v1::EchoResponse response_;
  grpc::ServerAsyncResponseWriter<demo::v1::EchoResponse> responder_{&context_};
  bool answered_ = false;
};

Service::Service() {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.AddListeningPort(target(Transport::kUnix), grpc::InsecureServerCredentials());
  builder.RegisterService(&echo_);
  queue_ = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) return;
  for (int i = 0; i < kPendingCalls; ++i) new PendingCall(this);
  thread_ = std::thread([this] { Serve(); });
}

Service::~Service() {
  if (server_ != nullptr) {
    server_->Shutdown(std::chrono::system_clock::now());
    thread_.join();
    server_.reset();
  }
  queue_->Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) {
  }
}

std::string Service::target(Transport transport) const {
  return transport == Transport::kTcp ? absl::StrCat("127.0.0.1:", port_) : absl::StrCat("unix:", directory_.path(), "/socket");
}

void Service::Serve() {
  void* tag = nullptr;
  bool ok = false;
  int pending = kPendingCalls;
  while (pending > 0 && queue_->Next(&tag, &ok)) {
    auto* const call = static_cast<PendingCall*>(tag);
    if (ok && !call->answered()) {
      call->Answer();
      continue;
    }
    const bool again = call->answered();  // one that was never answered ends because the server does
    delete call;
    if (again) {
      new PendingCall(this);
    } else {
      --pending;
    }
  }
}

}  // namespace recloser::bench
