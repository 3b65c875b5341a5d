// One attempt that the library makes itself, on its own queue, never on the caller's thread.
#ifndef RECLOSER_REISSUED_ATTEMPT_H_
#define RECLOSER_REISSUED_ATTEMPT_H_

#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <functional>
#include <memory>
#include <string>

#include "recloser/core/export.h"
#include "runtime.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class ReissuedAttempt final : public QueueTag {
 public:
  /// `done` runs on the runtime's thread, once, when the attempt has ended.
  ReissuedAttempt(const std::shared_ptr<grpc::ChannelInterface>& channel, std::string method, std::function<void()> done);

  /// For settings, before `Start`.
  grpc::ClientContext& context() { return context_; }
  void Start(const grpc::ByteBuffer& request);
  void Cancel() { context_.TryCancel(); }

  // After the end.
  const grpc::Status& status() const { return status_; }
  /// Not valid when no message came.
  const grpc::ByteBuffer& response() const { return response_; }

 private:
  void Run(bool ok) override;

  grpc::ClientContext context_;
  grpc::GenericStub stub_;
  const std::string method_;  // gRPC keeps only the pointer
  std::function<void()> done_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader_;
  grpc::Status status_;
  grpc::ByteBuffer response_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_REISSUED_ATTEMPT_H_
