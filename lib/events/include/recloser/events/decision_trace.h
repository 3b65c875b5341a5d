// The decision trace: everything that goes into breakers and what they say, recorded so that it can be replayed.
//
//   auto trace = recloser::DecisionTrace::Start(recloser::Registry::Global());   // before the channels that it is to see
//   ...
//   std::ofstream("breakers.trace", std::ios::binary) << trace->Take();                  // or now and then, appending
//
//   $ recloser replay breakers.trace
//
// A breaker's steps are in the trace in the order in which it saw them: its making with options and seed, each admission, result, permit
// given back, manual control, and the transitions that came of them. `Replay` (replay.h) feeds them to a new breaker, which must decide the
// same. Recorded are names of targets and methods, times and status codes; no messages, metadata or peers. The format is
// proto/recloser/events/v1/trace.proto.
//
// Off unless started: then nothing is in the path of a call. While it records, a step costs about a microsecond and takes, inside the
// breaker's lock, one lock that all traced breakers share; it never waits for a file. A step takes about 30 bytes. Code of the user that a
// breaker depends on is not called in a replay: the answers of hooks and metrics are recorded; breakers of a kind of the user's own are
// recorded but can't be replayed.
//
// Thread safety: any member from any thread.
#ifndef RECLOSER_EVENTS_DECISION_TRACE_H_
#define RECLOSER_EVENTS_DECISION_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "recloser/core/registry.h"

namespace recloser {
inline namespace RECLOSER_API {

struct DecisionTraceOptions {
  enum class Format {
    kBinary,
    kJsonLines,  // for people and tools; about three times the size and fifteen times the time
  };
  Format format = Format::kBinary;
  /// The whole trace is at most this long. Then a mark is written that it is full, and nothing more: what is there can be replayed. Range:
  /// 1 KiB to 16 GiB, clamped. Default 64 MiB, about a million calls. `recloser replay` takes up to 1 GiB, `ReplayTrace` what is in memory.
  std::uint64_t max_bytes = std::uint64_t{64} << 20;
};

class DecisionTrace {
 public:
  /// Records all breakers that `registry` (not null) makes from now on, in place of an earlier trace of it; breakers that are there already
  /// can't be replayed and are not recorded. Breakers keep what they need of the trace alive.
  static std::shared_ptr<DecisionTrace> Start(const std::shared_ptr<Registry>& registry, const DecisionTraceOptions& options = {});

  ~DecisionTrace();
  DecisionTrace(const DecisionTrace&) = delete;
  DecisionTrace& operator=(const DecisionTrace&) = delete;

  /// What was recorded since the last call. All of it in a row is the trace; each part ends with a whole record.
  std::string Take();

  /// Records nothing more.
  void Stop();

  /// Records so far, the header included.
  std::uint64_t records() const;
  /// It has reached `max_bytes`.
  bool full() const;

 private:
  class Recorder;
  explicit DecisionTrace(std::shared_ptr<Recorder> recorder);
  const std::shared_ptr<Recorder> recorder_;
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_EVENTS_DECISION_TRACE_H_
