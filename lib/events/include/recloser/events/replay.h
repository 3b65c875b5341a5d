// Replaying a decision trace: the recorded steps go into new breakers, which must decide the same.
//
//   absl::StatusOr<Replayed> replayed = ReplayTrace(bytes);
//   if (!replayed.ok()) return replayed.status();            // DATA_LOSS: byte 1234: cut off: a record of 27 bytes, of which 9 are there
//   for (const ReplayedBreaker& b : replayed->breakers) {
//     for (const ReplayedTransition& t : b.transitions) std::cout << FormatDuration(t.at) << ' ' << t.sentence << '\n';
//     if (b.difference) std::cout << "record " << b.difference->record << ": " << b.difference->what << '\n';
//   }
//
// Compared are every admission (permit, generation, probe, refusal and its time), outcome and transition with all its numbers. Permits,
// outcomes and states must be equal; real numbers may differ by rounding (1e-9), as compilers' mathematics do. No code of the user runs:
// the answers of hooks and metrics come from the trace. Thread safety: pure functions; values.
#ifndef RECLOSER_EVENTS_REPLAY_H_
#define RECLOSER_EVENTS_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "recloser/core/shared_breaker.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

struct ReplayOptions {
  /// Only breakers of this name ("package.Service/Method", "package.Service" or "*"). Default: all.
  std::string breaker;
};

struct ReplayedTransition {
  std::uint32_t record = 0;        // its number in the trace, from 1
  Duration at = Duration::zero();  // since the breaker was made; not negative
  std::string sentence;            // for people, as `Explain` makes it
};

/// Where a replay went another way.
struct ReplayDifference {
  std::uint32_t record = 0;  // its number in the trace, from 1
  std::size_t offset = 0;    // where it begins
  std::string what;          // "modified: try_acquire.permit: 16777217 -> 33554433": recorded -> replayed
};

struct ReplayedBreaker {
  BreakerId id;
  std::string kind;  // "adaptive", "standard", or the name of a kind of the user's own
  /// False: its kind is code of the user, so nothing could be compared; what follows is as recorded.
  bool checked = true;
  std::uint32_t admitted = 0;
  std::uint32_t rejected = 0;
  std::uint32_t successes = 0;
  std::uint32_t failures = 0;
  std::uint32_t ignored = 0;
  std::uint32_t dropped = 0;
  std::vector<ReplayedTransition> transitions;
  /// The first; what comes after it in this breaker was not replayed.
  std::optional<ReplayDifference> difference;
};

struct Replayed {
  std::vector<ReplayedBreaker> breakers;  // in the order of their making
  std::uint32_t records = 0;              // in the trace, the header included
  bool full = false;                      // the trace had reached its greatest size

  /// Nothing came out differently.
  bool identical() const;
};

/// DATA_LOSS, with the offset of the record, when `trace` is none, damaged or cut off; UNIMPLEMENTED when a newer version wrote it;
/// NOT_FOUND when it has no breaker of that name; RESOURCE_EXHAUSTED when it asks for more than 10000 breakers, or for windows of more than
/// 100 MB together.
absl::StatusOr<Replayed> ReplayTrace(absl::string_view trace, const ReplayOptions& options = {});

/// The message ReplayResult of proto/recloser/events/v1/replay.proto as JSON.
std::string ReplayedToJson(const Replayed& replayed);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_EVENTS_REPLAY_H_
