// Randomness as an argument: a pinned generator with its own distributions.
//
// The standard library's distributions give different numbers on different implementations; a simulation must not. The
// generator is xoshiro256++ 1.0 (D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47(4), 2021),
// seeded by SplitMix64 as its authors advise.
//
//   Random random(42);
//   if (random.Uniform() < share) Admit();
//
// Thread safety: none; give each thread or each breaker its own.
#ifndef RECLOSER_CORE_RANDOM_H_
#define RECLOSER_CORE_RANDOM_H_

#include <array>
#include <cstdint>

#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_API {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15u;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      word = z ^ (z >> 31);
    }
  }

  /// Goes on where the generator was whose `state()` this is.
  explicit Random(const std::array<std::uint64_t, 4>& state) : state_(state) {}
  const std::array<std::uint64_t, 4>& state() const { return state_; }

  /// 64 uniform bits.
  std::uint64_t Next() {
    const std::uint64_t result = RotateLeft(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = RotateLeft(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1), 53 bits.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

  /// Uniform in [low, high). Returns `low` when `high <= low`.
  double Uniform(double low, double high) { return high > low ? low + (high - low) * Uniform() : low; }

 private:
  static std::uint64_t RotateLeft(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::array<std::uint64_t, 4> state_;
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_RANDOM_H_
