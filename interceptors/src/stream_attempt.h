// One attempt of a server-streaming call that the library makes itself, on its own queue.
#ifndef RECLOSER_STREAM_ATTEMPT_H_
#define RECLOSER_STREAM_ATTEMPT_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <string>

#include "recloser/core/export.h"
#include "runtime.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class StreamAttempt {
 public:
  /// Who is told, on the runtime's thread, once for each operation. The attempt must live until all have come back.
  class Owner {
   public:
    virtual void OnStarted() = 0;
    virtual void OnRead(bool ok) = 0;
    virtual void OnFinished() = 0;

   protected:
    ~Owner() = default;
  };

  StreamAttempt(Owner& owner, std::string method) : method_(std::move(method)), start_(owner), read_(owner), finish_(owner) {}

  /// For settings, before `Prepare`.
  grpc::ClientContext& context() { return context_; }
  /// Makes the call: from now on it may be cancelled.
  void Prepare(grpc::ChannelInterface& channel, const grpc::ByteBuffer& request);

  // Operations, from any thread, one of each kind at a time. The attempt may be gone when one of them returns.
  void Start() { reader_->StartCall(static_cast<QueueTag*>(&start_)); }
  void Read() { reader_->Read(&message_, static_cast<QueueTag*>(&read_)); }
  void Finish() { reader_->Finish(&status_, static_cast<QueueTag*>(&finish_)); }

  void Cancel() { context_.TryCancel(); }
  /// Ends the attempt with DEADLINE_EXCEEDED.
  void TimeOut();

  /// After a read.
  grpc::ByteBuffer& message() { return message_; }
  /// After the finish.
  const grpc::Status& status() const { return status_; }

 private:
  template <class Tell>
  class Operation final : public QueueTag {
   public:
    explicit Operation(Owner& owner) : owner_(owner) {}

   private:
    void Run(bool ok) override { Tell()(owner_, ok); }
    Owner& owner_;
  };
  struct TellStarted {
    void operator()(Owner& owner, bool) const { owner.OnStarted(); }
  };
  struct TellRead {
    void operator()(Owner& owner, bool ok) const { owner.OnRead(ok); }
  };
  struct TellFinished {
    void operator()(Owner& owner, bool) const { owner.OnFinished(); }
  };

  const std::string method_;  // gRPC keeps only the pointer
  grpc::ClientContext context_;
  Operation<TellStarted> start_;
  Operation<TellRead> read_;
  Operation<TellFinished> finish_;
  std::unique_ptr<grpc::ClientAsyncReader<grpc::ByteBuffer>> reader_;
  grpc::ByteBuffer message_;
  grpc::Status status_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_STREAM_ATTEMPT_H_
