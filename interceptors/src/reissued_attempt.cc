#include "reissued_attempt.h"

#include <utility>

namespace recloser {
inline namespace RECLOSER_INTERNAL {

ReissuedAttempt::ReissuedAttempt(const std::shared_ptr<grpc::ChannelInterface>& channel, std::string method, std::function<void()> done)
    : stub_(channel), method_(std::move(method)), done_(std::move(done)) {}

void ReissuedAttempt::Start(const grpc::ByteBuffer& request) {
  reader_ = stub_.PrepareUnaryCall(&context_, method_, request, Runtime::Get().queue());
  reader_->StartCall();
  reader_->Finish(&response_, &status_, static_cast<QueueTag*>(this));
}

void ReissuedAttempt::Run(bool) {
  const std::function<void()> done = std::move(done_);  // it may destroy this attempt
  done();
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
