// The place in a gRPC batch where the caller's response goes, whatever its type.
#ifndef RECLOSER_RESPONSE_SLOT_H_
#define RECLOSER_RESPONSE_SLOT_H_

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_interceptor.h>
#include <grpcpp/support/status.h>

#include "grpc_access.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class ResponseSlot {
 public:
  enum class Kind {
    kUnknown,   // a message type that this library can't fill, a caller built without run-time type information, or an unknown gRPC
    kProtobuf,  // google::protobuf::MessageLite
    kBytes,     // grpc::ByteBuffer
    kGeneric,   // type-erased by gRPC: it knows how to fill itself
  };

  /// The slot of `batch`, valid as long as the batch.
  static ResponseSlot Of(grpc::experimental::InterceptorBatchMethods* batch);
  /// Asked of a two-batch call's first batch: will the second one's response be fillable? Not for callers built with -fno-rtti, whose
  /// batches can't be asked for their type, nor for a completion queue's call with a message type of its own.
  static bool CanRelay(grpc::experimental::InterceptorBatchMethods* batch);

  /// Where gRPC puts the bytes of a stream's message that it has received: what is put there before a hijacked read goes on is parsed by
  /// gRPC itself, whatever the type, and reaches the application as a message from the wire does.
  static grpc::ByteBuffer& ReceiveBuffer(grpc::experimental::InterceptorBatchMethods* batch);

  Kind kind() const { return kind_; }

  /// Fills `message`, the object that the batch receives into (`GetRecvMessage()`), from `bytes`, and marks it as received.
  grpc::Status Store(grpc::ByteBuffer bytes, void* message);
  /// Takes back what was received into `message`, as if nothing had been: there and in what gRPC tells the caller.
  void Clear(void* message);
  /// Shows the message to the interceptors before ours, on a final pass that came without one; null: none, where one had come.
  static void Announce(grpc::experimental::InterceptorBatchMethods* batch, void* message);

 private:
  Kind kind_ = Kind::kUnknown;
  grpc::internal::CallOpRecvMessage<google::protobuf::MessageLite>* protobuf_ = nullptr;
  grpc::internal::CallOpRecvMessage<grpc::ByteBuffer>* bytes_ = nullptr;
  grpc::internal::CallOpGenericRecvMessage* generic_ = nullptr;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_RESPONSE_SLOT_H_
