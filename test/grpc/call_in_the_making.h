// One call in the making: what all forms of the API do alike.
#ifndef RECLOSER_TEST_GRPC_CALL_IN_THE_MAKING_H_
#define RECLOSER_TEST_GRPC_CALL_IN_THE_MAKING_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <thread>
#include <utility>

#include "api_forms.h"
#include "await.h"

namespace recloser::testing {

struct CallInTheMaking {
  explicit CallInTheMaking(CallSpec& s) : spec(s) {
    context = spec.context != nullptr ? std::move(spec.context) : std::make_unique<grpc::ClientContext>();
    if (spec.prepare) spec.prepare(*context);
    request->set_payload(spec.payload);
    response->set_payload(kUntouched);
  }
  /// As soon as the call has begun.
  template <class Stub>
  void Began(std::unique_ptr<Stub>& stub) const {
    if (spec.drop_channel) stub.reset();
  }
  /// What the context shows at the end.
  void Describe(const grpc::Status& status, CallResult* result) const {
    result->status = status;
    result->headers = Strings(context->GetServerInitialMetadata());
    result->trailers = Strings(context->GetServerTrailingMetadata());
    result->peer = context->peer();
    result->deadline = context->deadline();
  }
  /// In the last callback, after which nothing is needed any more.
  void DeleteInCallback() {
    if (spec.delete_in_callback) context = nullptr, request = nullptr, response = nullptr;
  }

  CallSpec& spec;
  std::unique_ptr<grpc::ClientContext> context;
  std::unique_ptr<demo::v1::EchoRequest> request = std::make_unique<demo::v1::EchoRequest>();
  std::unique_ptr<demo::v1::EchoResponse> response = std::make_unique<demo::v1::EchoResponse>();
};

// Runs `meanwhile` beside a call that needs the caller's thread.
class Meanwhile {
 public:
  explicit Meanwhile(const CallInTheMaking& call) {
    if (call.spec.meanwhile) thread_ = std::thread([&call] { call.spec.meanwhile(*call.context); });
  }
  ~Meanwhile() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_CALL_IN_THE_MAKING_H_
