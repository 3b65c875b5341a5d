// A hash over everything that happens, to compare runs. FNV-1a's step on words of 64 bits (G. Fowler, L. C. Noll, K.-P. Vo), with the high
// half folded in after each.
#ifndef RECLOSER_SIM_SRC_TRACE_HASH_H_
#define RECLOSER_SIM_SRC_TRACE_HASH_H_

#include <cstdint>

#include "recloser/core/time.h"

namespace recloser::sim {

class TraceHash {
 public:
  enum class Kind : std::uint64_t { kDecision, kAttemptEnd, kTransition };

  void Add(Time at, Kind kind, std::uint32_t caller, std::uint64_t what) {
    Mix(static_cast<std::uint64_t>(at.time_since_epoch().count()));
    Mix(static_cast<std::uint64_t>(kind) << 60 | static_cast<std::uint64_t>(caller) << 16 | what);
  }
  std::uint64_t value() const { return hash_; }

 private:
  void Mix(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001b3u;
    hash_ ^= hash_ >> 32;
  }
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_TRACE_HASH_H_
