// What the application gets, where it is not what gRPC received for it.
#ifndef RECLOSER_DELIVERY_H_
#define RECLOSER_DELIVERY_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <optional>

#include "call_metadata.h"
#include "recloser/core/breaker.h"
#include "recloser/core/export.h"
#include "recloser/core/shared_breaker.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

struct Delivery {
  grpc::Status status;
  OwnedMetadata initial;
  OwnedMetadata trailing;
  std::optional<grpc::ByteBuffer> response;
};

/// How a call ends that a breaker rejected.
Delivery RejectionDelivery(const SharedBreaker& breaker, const Rejection& rejection);
/// How a call ends that was cancelled between two attempts.
Delivery CancelledDelivery();
/// Tells the application of attempts, where there was more than one.
void NoteAttempts(int attempts, Delivery* delivery);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_DELIVERY_H_
