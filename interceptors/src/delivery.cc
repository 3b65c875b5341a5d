#include "delivery.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "recloser/core/call_session.h"
#include "recloser/rejection.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

Delivery RejectionDelivery(const SharedBreaker& breaker, const Rejection& rejection) {
  Delivery delivery;
  delivery.status = grpc::Status(grpc::StatusCode::UNAVAILABLE, RejectionMessage(breaker, rejection));
  delivery.trailing.emplace_back(kRejectedByTrailer, absl::StrCat(breaker.id().target, " ", breaker.id().name()));
  if (rejection.retry_after != kForever) {
    // Rounded up: who comes back after so many milliseconds finds the probe due.
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(rejection.retry_after).count();
    delivery.trailing.emplace_back(kRetryAfterTrailer, absl::StrCat(ms));
  }
  return delivery;
}

Delivery CancelledDelivery() {
  Delivery delivery;
  delivery.status = grpc::Status(grpc::StatusCode::CANCELLED, "recloser: cancelled while waiting to retry");
  return delivery;
}

void NoteAttempts(int attempts, Delivery* delivery) {
  if (attempts > 1) delivery->trailing.emplace_back(kAttemptsTrailer, absl::StrCat(attempts));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
