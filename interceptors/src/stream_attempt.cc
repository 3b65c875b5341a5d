#include "stream_attempt.h"

#include "grpc_access.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

void StreamAttempt::Prepare(grpc::ChannelInterface& channel, const grpc::ByteBuffer& request) {
  const grpc::internal::RpcMethod method(method_.c_str(), grpc::internal::RpcMethod::SERVER_STREAMING);
  using Factory = grpc::internal::ClientAsyncReaderFactory<grpc::ByteBuffer>;
  reader_.reset(Factory::Create(&channel, Runtime::Get().queue(), method, &context_, request, /*start=*/false, nullptr));
}

void StreamAttempt::TimeOut() {
  grpc_call_cancel_with_status(context_.c_call(), GRPC_STATUS_DEADLINE_EXCEEDED, "Deadline Exceeded", nullptr);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
