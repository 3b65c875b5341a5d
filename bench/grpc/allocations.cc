#include "allocations.h"

#include <array>
#include <atomic>
#include <cstddef>

namespace recloser::bench {
namespace {

struct alignas(64) Count {
  std::atomic<std::uint64_t> value{0};
};
constexpr std::size_t kCounts = 256;
std::array<Count, kCounts> counts;  // the last one is for all threads that found no other
std::atomic<std::size_t> threads{0};
constexpr std::size_t kNone = kCounts;
thread_local std::size_t mine = kNone;

void CountOne() {
  if (mine == kNone) {
    const std::size_t next = threads.fetch_add(1, std::memory_order_relaxed);
    mine = next < kCounts - 1 ? next : kCounts - 1;
  }
  std::atomic<std::uint64_t>& value = counts[mine].value;
  if (mine == kCounts - 1) {
    value.fetch_add(1, std::memory_order_relaxed);
  } else {
    value.store(value.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
}

}  // namespace

std::uint64_t AllocationCount() {
  std::uint64_t sum = 0;
  for (const Count& count : counts) sum += count.value.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace recloser::bench

// glibc's own, under the names that it keeps for those who put theirs in front.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);

void* malloc(std::size_t size) noexcept {
  recloser::bench::CountOne();
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  recloser::bench::CountOne();
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) noexcept {
  recloser::bench::CountOne();
  return __libc_realloc(block, size);
}
}
