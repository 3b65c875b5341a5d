#include "thread_number.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr unsigned kBits = 64;
constexpr unsigned kNumbers = 1024;

/// The numbers in use, a bit each.
std::array<std::atomic<std::uint64_t>, kNumbers / kBits>& InUse() {
  // Never destroyed: threads may end after the statics of the process.
  static auto* const in_use = new std::array<std::atomic<std::uint64_t>, kNumbers / kBits>();
  return *in_use;
}

/// `kNumbers` when all are in use.
unsigned TakeSmallest() {
  for (std::size_t word = 0; word < InUse().size(); ++word) {
    std::uint64_t used = InUse()[word].load(std::memory_order_relaxed);
    while (~used != 0) {
      const auto bit = static_cast<unsigned>(__builtin_ctzll(~used));
      if (InUse()[word].compare_exchange_weak(used, used | std::uint64_t{1} << bit, std::memory_order_relaxed)) {
        return static_cast<unsigned>(word) * kBits + bit;
      }
    }
  }
  return kNumbers;
}

/// Gives the number back when the thread ends.
class Holder {
 public:
  ~Holder() {
    if (number_ == nullptr) return;
    // Other thread-local objects may still be destroyed, and ask again: from now on they share the number that all threads beyond have.
    const unsigned number = *number_;
    *number_ = kNumbers;
    if (number < kNumbers) InUse()[number / kBits].fetch_and(~(std::uint64_t{1} << number % kBits), std::memory_order_relaxed);
  }
  void Hold(unsigned* number) { number_ = number; }

 private:
  unsigned* number_ = nullptr;
};

}  // namespace

unsigned AssignThreadNumber(unsigned* number) {
  static thread_local Holder holder;
  *number = TakeSmallest();
  holder.Hold(number);
  return *number;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
