// What the tests of the binding share: the two ways to attach, policies with short waits, and an observer that counts.
#ifndef RECLOSER_TEST_GRPC_FIXTURE_H_
#define RECLOSER_TEST_GRPC_FIXTURE_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "recloser/recloser.h"

namespace recloser::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

enum class Attach { kDecorator, kIntercepted };
inline constexpr Attach kBothAttachments[] = {Attach::kDecorator, Attach::kIntercepted};
const char* AttachName(Attach attach);

/// A channel to a loopback target that comes back quickly after an outage.
std::shared_ptr<grpc::ChannelInterface> Connect(Attach attach, const std::string& target, const Policies& policies,
                                                std::shared_ptr<Registry> registry, ChannelOptions options = {});

/// The defaults with waits of a few milliseconds.
Policies FastRetries();
/// The defaults with a breaker that opens at the second failure and probes after 100 ms.
Policies TouchyBreaker();
grpc::Status Unavailable();

/// Waits until `condition` holds, at most 20 s; false when it never does.
bool Eventually(const std::function<bool()>& condition);

class Stopwatch {
 public:
  milliseconds elapsed() const { return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin_); }

 private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Everything that the library tells, in totals over all methods.
class Tally final : public Observer {
 public:
  struct Totals {
    int calls_started = 0;
    int calls_finished = 0;
    int attempts_started = 0;
    int attempts_finished = 0;
    int timeouts = 0;
    std::vector<TimeoutScope> timeout_scopes;
    int rejected = 0;
    int would_reject = 0;
    std::vector<AttemptFinished> attempts;
    std::vector<CallFinished> calls;
    std::vector<RetrySuppressed> suppressed;
    std::vector<Problem::Kind> problems;
    std::vector<BreakerState> states;  // entered
  };

  Totals totals() const;
  std::shared_ptr<MethodObserver> ObserveMethod(const MethodId&) override;
  void OnTransition(const SharedBreaker&, const BreakerTransition& transition) override;
  void OnProblem(const Problem& problem) override;

 private:
  class OfMethod;
  struct State {
    std::mutex mutex;
    Totals totals;
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_FIXTURE_H_
