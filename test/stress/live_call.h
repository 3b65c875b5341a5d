// A call under way: what gRPC needs as long as it runs, and where its end is written down.
#ifndef RECLOSER_TEST_STRESS_LIVE_CALL_H_
#define RECLOSER_TEST_STRESS_LIVE_CALL_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>

#include "outcome.h"
#include "plan.h"
#include "recloser/demo/v1/echo.grpc.pb.h"
#include "timers.h"

namespace recloser::stress {

/// Shared by the call's API form and, for an instant, by who cancels it; the context goes with whoever is last.
struct LiveCall : std::enable_shared_from_this<LiveCall> {
  /// Tells that nothing of the call is left.
  struct Release {
    CallOutcome& outcome;
    const std::function<void()>& released;
    ~Release();
  };

  LiveCall(int call, const CallPlan& call_plan, CallOutcome& outcome, const std::function<void()>& released);

  /// Before the call is made: deadline, options, and the cancellation.
  void Prepare(Timers& timers);
  void Cancel();
  /// A message came.
  void Received();
  /// The call has ended with `status`. `ok`: what its queue said.
  void Finish(bool ok = true);
  /// The stream's objects go without its end.
  void Drop();

  const Release release;  // declared first: runs when the context is gone
  const int id;
  const CallPlan& plan;
  CallOutcome& seen;
  grpc::ClientContext context;
  demo::v1::EchoRequest request;
  demo::v1::EchoResponse response;
  grpc::Status status;
};

}  // namespace recloser::stress

#endif  // RECLOSER_TEST_STRESS_LIVE_CALL_H_
