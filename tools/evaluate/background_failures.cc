#include "evaluate/background_failures.h"

#include <chrono>

#include "evaluate/fault_plan.h"

namespace recloser::tools {
namespace {

class Attempt final : public grpc::experimental::Interceptor {
 public:
  explicit Attempt(demo::Recorder* recorder) : recorder_(recorder) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(grpc::experimental::InterceptionHookPoints::POST_RECV_STATUS) &&
        methods->GetRecvStatus()->error_message() == kBackgroundFailure) {
      recorder_->OnBackgroundFailure(std::chrono::steady_clock::now());
    }
    methods->Proceed();
  }

 private:
  demo::Recorder* const recorder_;  // the factory's, which outlives its calls
};

}  // namespace

grpc::experimental::Interceptor* BackgroundFailures::CreateClientInterceptor(grpc::experimental::ClientRpcInfo* /*info*/) {
  return new Attempt(recorder_.get());
}

}  // namespace recloser::tools
