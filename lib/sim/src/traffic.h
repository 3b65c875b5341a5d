// Calls and attempts under way.
#ifndef RECLOSER_SIM_SRC_TRAFFIC_H_
#define RECLOSER_SIM_SRC_TRAFFIC_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "recloser/core/call_session.h"
#include "recloser/core/time.h"

namespace recloser::sim {

/// One use of a slot of a pool.
struct SlotId {
  std::uint32_t index = 0;
  std::uint64_t serial = 0;  // 0: none
};

struct Call {
  std::uint64_t serial = 0;
  std::optional<CallSession> session;
  Time started{};
  std::uint32_t caller = 0;
  SlotId parent;                                           // the attempt whose service makes this call; none for a client's
  bool measured = false;                                   // the client's call arrived after the warm-up
  absl::StatusCode code = absl::StatusCode::kUnavailable;  // of the latest attempt
  bool excused = false;                                    // that attempt's failure is not the arm's
  bool marked = false;                                     // its result was a rejection that carries the mark
};

struct Attempt {
  enum class Stage : std::uint8_t {
    kQueued,    // waits for a worker
    kServing,   // holds one
    kCalling,   // the service's own calls are out
    kAnswered,  // the answer is on its way
    kGone,      // left the queue unserved
  };

  std::uint64_t serial = 0;
  std::uint32_t call = 0;
  std::uint32_t server = 0;
  Stage stage = Stage::kQueued;
  bool awaited = false;   // by its caller
  bool held = false;      // by its server, or an answer is on its way: it will be referred to again
  bool measured = false;  // its call is
  bool fails = false;     // drawn on arrival
  bool excused = false;   // fails, drawn at a share so small that all arms pay it
  bool marked = false;    // the answer carries the mark of a rejection further down
  absl::StatusCode code = absl::StatusCode::kOk;
  int calls_out = 0;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_TRAFFIC_H_
