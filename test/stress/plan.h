// What a stress run does, drawn from its seed: epochs, each with policies and a world of its own, and in them calls.
//
// All of it follows from (seed, epoch, call), so a run can be asked for again; how the threads run is the machine's.
#ifndef RECLOSER_TEST_STRESS_PLAN_H_
#define RECLOSER_TEST_STRESS_PLAN_H_

#include <grpcpp/support/status.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recloser/core/policies.h"
#include "recloser/core/random.h"

namespace recloser::stress {

using std::chrono::microseconds;
using std::chrono::milliseconds;

enum class Method { kEcho, kIncrement, kServerStream, kClientStream, kBidiStream };
inline constexpr int kMethods = 5;
enum class Api { kSync, kQueue, kQueueTwoBatch, kGeneric, kCallback, kReactor };  // streams: kSync, kQueue, kCallback
inline constexpr int kApis = 6;
const char* MethodName(Method method);
const char* ApiName(Api api);
inline bool IsUnary(Method method) { return method == Method::kEcho || method == Method::kIncrement; }

/// The most attempts that a policy or a call of a stress run asks for.
inline constexpr int kMostAttempts = 4;

/// How the service answers one attempt.
struct Reply {
  grpc::StatusCode code = grpc::StatusCode::OK;
  milliseconds delay{0};       // before the status
  bool hang = false;           // no status until the client has gone
  bool headers_first = false;  // before the delay
  const char* pushback = "";   // the trailer grpc-retry-pushback-ms
  int messages = 1;            // of streams
  int padding = 0;             // bytes, for large messages
};

struct CallPlan {
  enum class Cancel { kNever, kBefore, kLater, kAtFirstMessage };

  Method method = Method::kEcho;
  Api api = Api::kCallback;
  std::array<Reply, kMostAttempts> replies;
  Cancel cancel = Cancel::kNever;
  microseconds cancel_after{0};  // kLater
  std::optional<microseconds> deadline;
  int max_attempts = 0;                         // CallOptions; 0: the policy's
  std::optional<milliseconds> attempt_timeout;  // CallOptions
  bool bypass_breaker = false;                  // CallOptions
  bool wait_for_ready = false;
  bool drop = false;  // the stream's objects go without Finish
  int writes = 2;     // of client and bidi streams
};

enum class Attach { kDecorator, kIntercepted, kFactories };

struct EpochPlan {
  std::uint64_t run_seed = 0;
  std::uint64_t seed = 0;  // of this epoch's draws
  std::uint64_t number = 0;
  int calls = 0;
  int in_flight = 0;
  Attach attach = Attach::kDecorator;
  int channels = 1;
  /// The first one at the beginning; with `reloads` the others take its place, by turns.
  std::vector<Policies> policies;
  bool reloads = false;
  bool restarts = false;         // the service dies and comes back
  bool manual = false;           // breakers are opened, disabled and reset by hand
  bool recycles = false;         // channels are replaced while they have calls
  bool exporter = false;         // and is scraped
  bool foreign_inside = false;   // an interceptor of the application behind Recloser's
  bool no_core_retries = false;  // ChannelOptions::disable_core_retries
  bool releases_early = false;   // registry, source, exporter and channels are let go with calls in flight, in any order
  double failing = 0;            // share of replies that are failures

  /// By the policies' word alone.
  bool may_reject() const;
  bool has_deadlines() const;
  bool has_budget() const;
  bool retries_streams() const;
};

EpochPlan DrawEpoch(std::uint64_t seed, std::uint64_t number, int calls);
CallPlan DrawCall(const EpochPlan& epoch, int id);

/// What one attempt's answer carries, in the status's message and as a header and a trailer, and, with the message's number, as payload.
std::string Mark(int id, int attempt);
std::string Payload(int id, int attempt, int message, int padding);

inline bool Chance(Random& random, double probability) { return random.Uniform() < probability; }
/// Uniform in [low, high].
inline int Pick(Random& random, int low, int high) { return low + static_cast<int>(random.Uniform() * (high - low + 1)); }

}  // namespace recloser::stress

#endif  // RECLOSER_TEST_STRESS_PLAN_H_
