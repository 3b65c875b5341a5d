// The part of a call after its first attempt: waits, re-issued attempts, cancellation, the final delivery. All on the runtime's thread.
#ifndef RECLOSER_RETRY_RUN_H_
#define RECLOSER_RETRY_RUN_H_

#include <memory>

#include "client_call.h"
#include "recloser/core/export.h"
#include "reissued_attempt.h"
#include "runtime.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class RetryRun : public std::enable_shared_from_this<RetryRun> {
 public:
  explicit RetryRun(ClientCall& call) : call_(&call) {}

  /// Begins with `action`, a wait or (for a relayed call) the first attempt. From any thread, once.
  void Begin(const Action& action);
  /// The application cancelled. From any thread, any number of times, also when the call has ended.
  void Cancel();

 private:
  void Act(const Action& action);
  void Wait(Time wake);
  void Send(const Action& action);
  void OnAttemptEnded();
  void OnCancelled();
  /// Hands the end to the call, which lives no longer than that.
  void Deliver(Delivery delivery);

  ClientCall* call_;  // null when the call has ended
  std::shared_ptr<class Wait> wait_;
  std::unique_ptr<ReissuedAttempt> attempt_;
  bool has_result_ = false;  // `result_` is a re-issued attempt's; else attempt 1's own result stands
  Delivery result_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_RETRY_RUN_H_
