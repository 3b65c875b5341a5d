// Slots that are used again, with stable addresses and serial numbers that tell one use of a slot from the next.
//
// Thread safety: none.
#ifndef RECLOSER_SIM_SRC_POOL_H_
#define RECLOSER_SIM_SRC_POOL_H_

#include <cstdint>
#include <memory>
#include <vector>

namespace recloser::sim {

/// `T` needs a member `std::uint64_t serial`, 0 while the slot is free.
template <class T>
class Pool {
 public:
  std::uint32_t Take() {
    if (free_.empty()) Grow();
    const std::uint32_t index = free_.back();
    free_.pop_back();
    at(index).serial = ++taken_;
    return index;
  }

  void Free(std::uint32_t index) {
    at(index).serial = 0;
    free_.push_back(index);
  }

  T& at(std::uint32_t index) { return chunks_[index / kChunk][index % kChunk]; }
  /// Null when that use of the slot is over.
  T* Find(std::uint32_t index, std::uint64_t serial) {
    T& slot = at(index);
    return slot.serial == serial ? &slot : nullptr;
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(chunks_.size()) * kChunk; }
  bool all_free() const { return free_.size() == size(); }

 private:
  static constexpr std::uint32_t kChunk = 256;

  void Grow() {
    const std::uint32_t first = size();
    chunks_.push_back(std::make_unique<T[]>(kChunk));
    for (std::uint32_t i = kChunk; i > 0; --i) free_.push_back(first + i - 1);
  }

  std::vector<std::unique_ptr<T[]>> chunks_;
  std::vector<std::uint32_t> free_;
  std::uint64_t taken_ = 0;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_POOL_H_
