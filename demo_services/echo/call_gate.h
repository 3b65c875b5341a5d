// Where calls wait before the echo service deals with them: the seam between the echo service and the fault plan.
#ifndef RECLOSER_DEMO_SERVICES_ECHO_CALL_GATE_H_
#define RECLOSER_DEMO_SERVICES_ECHO_CALL_GATE_H_

#include <grpcpp/support/status.h>

#include <functional>
#include <memory>

namespace recloser::demo {

/// How a call ended. kCancelled: its client left before the answer.
enum class CallResult { kOk, kFailed, kCancelled };

/// Each call makes one Arrive, one Await and one Leave, in this order. Thread safety: all functions, from any thread.
class CallGate {
 public:
  /// What the gate knows of one call.
  struct Ticket {
    virtual ~Ticket() = default;
  };
  /// OK: the call may go on. Else: what to answer.
  using Proceed = std::function<void(const grpc::Status&)>;

  virtual ~CallGate() = default;

  virtual std::shared_ptr<Ticket> Arrive() = 0;
  /// Runs `proceed` at most once, on any thread, perhaps before Await returns, perhaps never. A call that leaves meanwhile must bear that
  /// it still runs.
  virtual void Await(const std::shared_ptr<Ticket>& ticket, Proceed proceed) = 0;
  virtual void Leave(const std::shared_ptr<Ticket>& ticket, CallResult result) = 0;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_ECHO_CALL_GATE_H_
