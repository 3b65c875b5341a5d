// Sees every attempt behind Recloser and records those that failed as the service fails in healthy times too.
//
// Thread safety: as gRPC wants it of factories.
#ifndef RECLOSER_TOOLS_EVALUATE_BACKGROUND_FAILURES_H_
#define RECLOSER_TOOLS_EVALUATE_BACKGROUND_FAILURES_H_

#include <grpcpp/support/client_interceptor.h>

#include <memory>
#include <utility>

#include "demo_services/load_client/recorder.h"

namespace recloser::tools {

class BackgroundFailures final : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  explicit BackgroundFailures(std::shared_ptr<demo::Recorder> recorder) : recorder_(std::move(recorder)) {}
  grpc::experimental::Interceptor* CreateClientInterceptor(grpc::experimental::ClientRpcInfo* info) override;

 private:
  const std::shared_ptr<demo::Recorder> recorder_;
};

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_EVALUATE_BACKGROUND_FAILURES_H_
