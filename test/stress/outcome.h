// What the application saw of one call, for the oracle.
#ifndef RECLOSER_TEST_STRESS_OUTCOME_H_
#define RECLOSER_TEST_STRESS_OUTCOME_H_

#include <grpcpp/support/status.h>

#include <atomic>
#include <string>

namespace recloser::stress {

struct CallOutcome {
  std::atomic<int> started{0};  // by the run
  std::atomic<int> completions{0};
  std::atomic<bool> cancelled{false};  // TryCancel was called
  std::atomic<bool> released{false};   // the context is gone

  grpc::StatusCode code = grpc::StatusCode::OK;
  std::string message;
  std::string header_mark;      // "" when there is none
  std::string trailer_mark;     // "" when there is none
  int attempts = 0;             // GetAttempts
  bool rejected = false;        // GetRejection
  int messages = 0;             // received; unary with OK: 1
  int messages_attempt = -1;    // which attempt's they were
  bool messages_wrong = false;  // of another call or attempt, out of order, or not whole
  bool queue_said_no = false;   // a unary call's tag came back not ok
  bool dropped = false;         // a stream that was not finished: of the above only the messages hold
};

}  // namespace recloser::stress

#endif  // RECLOSER_TEST_STRESS_OUTCOME_H_
