// What the fault plan has decided about one call, and where the call is.
#ifndef RECLOSER_DEMO_SERVICES_FAULT_TICKET_H_
#define RECLOSER_DEMO_SERVICES_FAULT_TICKET_H_

#include <grpcpp/support/status.h>

#include <cstddef>
#include <cstdint>

#include "demo_services/echo/call_gate.h"
#include "recloser/core/time.h"

namespace recloser::demo {

struct FaultTicket final : CallGate::Ticket {
  /// Which plan, and which phase of it: where the call is counted.
  std::uint64_t plan = 0;
  std::size_t phase = 0;

  /// Decided on arrival.
  bool never_answered = false;
  bool uses_workers = false;
  Duration delay = Duration::zero();
  grpc::Status status;

  /// In the workers' queue.
  bool waiting = false;
  /// Waiting, and to be passed over: its client is gone.
  bool skipped = false;

  CallGate::Proceed proceed;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_FAULT_TICKET_H_
