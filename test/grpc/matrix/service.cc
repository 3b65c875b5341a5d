#include "service.h"

#include <grpcpp/alarm.h>

#include <atomic>
#include <utility>

// gRPC's own tests ask for it; not every gRPC has it.
__attribute__((weak)) grpc_compression_algorithm grpc_call_test_only_get_compression_algorithm(grpc_call* call);

// Befriended by gRPC's server contexts, for tests.
namespace grpc::testing {
class InteropServerContextInspector {
 public:
  static grpc_call* Call(ServerContextBase& context) { return context.c_call(); }
};
}  // namespace grpc::testing

namespace recloser::testing::matrix {

using demo::v1::EchoRequest;
using demo::v1::EchoResponse;

namespace {

std::string CompressionOf(grpc::CallbackServerContext& context) {
  const char* name = "";
  if (grpc_call_test_only_get_compression_algorithm != nullptr) {
    grpc_call* const call = grpc::testing::InteropServerContextInspector::Call(context);
    grpc_compression_algorithm_name(grpc_call_test_only_get_compression_algorithm(call), &name);
  }
  return name;
}

}  // namespace

// An attempt's answer, and where to write down how it goes.
class Attempt {
 public:
  Attempt(Reply r, std::shared_ptr<CallLog> log, int index) : reply(std::move(r)), log_(std::move(log)), index_(index) {}
  void OnRequest() {
    if (log_ == nullptr) return;
    const std::lock_guard<std::mutex> lock(log_->mutex_);
    ++log_->seen_[index_].requests;
  }
  void OnWaiting() {
    if (log_ == nullptr) return;
    const std::lock_guard<std::mutex> lock(log_->mutex_);
    ++log_->waiting_;
  }

  Reply reply;

 private:
  std::shared_ptr<CallLog> log_;
  int index_;
};

namespace {

// What all kinds of calls do alike: headers, a delay, `Body`, the status.
template <class Base>
class Answering : public Base {
 public:
  explicit Answering(Attempt attempt) : attempt_(std::move(attempt)) {}

  void Begin() {
    if (reply().headers_first) return this->StartSendInitialMetadata();
    Delay();
  }
  void OnSendInitialMetadataDone(bool) override { Delay(); }
  void OnCancel() override {
    if (reply().until_cancelled) FinishCancelled();
  }
  void OnDone() override { delete this; }

 protected:
  const Reply& reply() const { return attempt_.reply; }
  virtual void Body() = 0;
  void End() {
    if (!reply().until_cancelled) return this->Finish(reply().status);
    attempt_.OnWaiting();
    FinishCancelled();
  }
  Attempt attempt_;

 private:
  void Delay() {
    if (reply().delay.count() == 0) return Body();
    alarm_.Set(std::chrono::system_clock::now() + reply().delay, [this](bool) { Body(); });
  }
  // When both have come: the end of what there is to do, and the cancellation.
  void FinishCancelled() {
    if (++reasons_ == 2) this->Finish(grpc::Status(grpc::StatusCode::CANCELLED, "the client is gone"));
  }

  std::atomic<int> reasons_{0};
  grpc::Alarm alarm_;
};

}  // namespace

class Service::UnaryAttempt final : public Answering<grpc::ServerUnaryReactor> {
 public:
  UnaryAttempt(Attempt attempt, EchoResponse* response) : Answering(std::move(attempt)) { response->set_payload(reply().payload); }

 private:
  void Body() override { End(); }
};

class Service::ServerStreamAttempt final : public Answering<grpc::ServerWriteReactor<EchoResponse>> {
 public:
  explicit ServerStreamAttempt(Attempt attempt) : Answering(std::move(attempt)) { response_.set_payload(reply().payload); }

 private:
  void Body() override { Write(); }
  void Write() {
    if (written_++ < reply().messages) return StartWrite(&response_);
    End();
  }
  void OnWriteDone(bool ok) override { return ok ? Write() : End(); }

  EchoResponse response_;
  int written_ = 0;
};

class Service::ClientStreamAttempt final : public Answering<grpc::ServerReadReactor<EchoRequest>> {
 public:
  ClientStreamAttempt(Attempt attempt, EchoResponse* response) : Answering(std::move(attempt)), response_(*response) {}

 private:
  void Body() override { StartRead(&request_); }
  void OnReadDone(bool ok) override {
    if (!ok) return End();
    attempt_.OnRequest();
    response_.set_payload(request_.payload());
    StartRead(&request_);
  }

  EchoRequest request_;
  EchoResponse& response_;
};

// Answers the first `Reply::messages` requests with one message each.
class Service::BidiStreamAttempt final : public Answering<grpc::ServerBidiReactor<EchoRequest, EchoResponse>> {
 public:
  using Answering::Answering;

 private:
  void Body() override { StartRead(&request_); }
  void OnReadDone(bool ok) override {
    if (!ok) return End();
    attempt_.OnRequest();
    if (written_++ >= reply().messages) return StartRead(&request_);
    response_.set_payload(request_.payload());
    StartWrite(&response_);
  }
  void OnWriteDone(bool ok) override { return ok ? StartRead(&request_) : End(); }

  EchoRequest request_;
  EchoResponse response_;
  int written_ = 0;
};

std::vector<SeenAttempt> CallLog::seen() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return seen_;
}

int CallLog::waiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return waiting_;
}

Service::Service() {
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(-1);
  for (const auto& [name, value] : kTransportArguments) builder.AddChannelArgument(name, value);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  target_ = "127.0.0.1:" + std::to_string(port);
}

Service::~Service() { server_->Shutdown(std::chrono::system_clock::now()); }

std::shared_ptr<CallLog> Service::Expect(const std::string& call, Script script) {
  auto log = std::make_shared<CallLog>();
  const std::lock_guard<std::mutex> lock(mutex_);
  expected_[call] = {std::move(script), log};
  return log;
}

void Service::Forget(const std::string& call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  expected_.erase(call);
}

Attempt Service::Arrive(const char* method, grpc::CallbackServerContext* context, const std::string& payload) {
  SeenAttempt seen;
  Note(*context, seen);
  seen.method = method;
  seen.payload = payload;
  seen.compression = CompressionOf(*context);
  const auto call = seen.metadata.find(kCallKey);
  Expected expected;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = call == seen.metadata.end() ? expected_.end() : expected_.find(call->second);
    if (it != expected_.end()) expected = it->second;
  }
  if (expected.log == nullptr) {  // of a cell that is over
    Reply unknown;
    unknown.status = grpc::Status(grpc::StatusCode::INTERNAL, "nobody expects this call");
    return Attempt(unknown, nullptr, 0);
  }
  int index = 0;
  {
    const std::lock_guard<std::mutex> lock(expected.log->mutex_);
    index = seen.index = static_cast<int>(expected.log->seen_.size());
    expected.log->seen_.push_back(std::move(seen));
  }
  Reply reply = expected.script(index + 1);
  if (reply.payload.empty()) reply.payload = payload;
  for (const auto& [key, value] : reply.headers) context->AddInitialMetadata(key, value);
  for (const auto& [key, value] : reply.trailers) context->AddTrailingMetadata(key, value);
  return Attempt(std::move(reply), expected.log, index);
}

grpc::ServerUnaryReactor* Service::Echo(grpc::CallbackServerContext* context, const EchoRequest* request, EchoResponse* response) {
  auto* const attempt = new UnaryAttempt(Arrive("Echo", context, request->payload()), response);
  attempt->Begin();
  return attempt;
}

grpc::ServerUnaryReactor* Service::Increment(grpc::CallbackServerContext* context, const EchoRequest* request, EchoResponse* response) {
  auto* const attempt = new UnaryAttempt(Arrive("Increment", context, request->payload()), response);
  attempt->Begin();
  return attempt;
}

grpc::ServerWriteReactor<EchoResponse>* Service::ServerStream(grpc::CallbackServerContext* context, const EchoRequest* request) {
  auto* const attempt = new ServerStreamAttempt(Arrive("ServerStream", context, request->payload()));
  attempt->Begin();
  return attempt;
}

grpc::ServerReadReactor<EchoRequest>* Service::ClientStream(grpc::CallbackServerContext* context, EchoResponse* response) {
  auto* const attempt = new ClientStreamAttempt(Arrive("ClientStream", context, ""), response);
  attempt->Begin();
  return attempt;
}

grpc::ServerBidiReactor<EchoRequest, EchoResponse>* Service::BidiStream(grpc::CallbackServerContext* context) {
  auto* const attempt = new BidiStreamAttempt(Arrive("BidiStream", context, ""));
  attempt->Begin();
  return attempt;
}

}  // namespace recloser::testing::matrix
