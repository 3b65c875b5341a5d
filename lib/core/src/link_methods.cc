#include "link_methods.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"
#include "policy_identity.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

bool SaysTheSame(const MethodContext& a, const MethodContext& b) {
  return a.retries == b.retries && a.breaker == b.breaker && a.shadow_breaker == b.shadow_breaker && SamePolicy(a.policy, b.policy);
}

}  // namespace

std::atomic<std::int64_t>& LinkMethods::Holds::OfThisThread() {
  static std::atomic<unsigned> threads{0};
  thread_local const unsigned mine = threads.fetch_add(1, std::memory_order_relaxed);
  return counts_[mine % counts_.size()].value;
}

bool LinkMethods::Holds::none() const {
  // Not one instant for all counts, nor need it be: a hold begins and ends on the same one.
  return std::all_of(counts_.begin(), counts_.end(), [](const Count& count) { return count.value.load(std::memory_order_seq_cst) == 0; });
}

LinkMethods::~LinkMethods() {
  for (std::atomic<Method*>& slot : slots_) {
    for (Method* method = slot.load(std::memory_order_acquire); method != nullptr;) delete std::exchange(method, method->next_);
  }
}

std::size_t LinkMethods::SlotOf(absl::string_view full_name) { return absl::HashOf(full_name) % kSlots; }

LinkMethods::Method* LinkMethods::Search(Method* first, absl::string_view full_name) {
  while (first != nullptr && first->full_name_ != full_name) first = first->next_;
  return first;
}

MethodRef LinkMethods::Method::Hold() const {
  while (true) {
    const Entry* const entry = current_.load(std::memory_order_acquire);
    if (entry->holds == nullptr) return MethodRef(entry->context);
    std::atomic<std::int64_t>& holds = entry->holds->OfThisThread();
    holds.fetch_add(1, std::memory_order_seq_cst);
    if (current_.load(std::memory_order_seq_cst) == entry) return MethodRef(entry->context, holds);
    holds.fetch_sub(1, std::memory_order_release);
  }
}

MethodRef LinkMethods::Find(absl::string_view full_name) const {
  const Method* const method = Search(slots_[SlotOf(full_name)].load(std::memory_order_acquire), full_name);
  return method == nullptr ? MethodRef() : method->Hold();
}

std::unique_ptr<LinkMethods::Entry> LinkMethods::NewEntry(MethodContext context) const {
  return std::make_unique<Entry>(Entry{std::move(context), changing_ ? std::make_unique<Holds>() : nullptr});
}

MethodRef LinkMethods::Insert(absl::string_view full_name, const MethodTraits& traits, MethodContext context, std::uint64_t generation) {
  auto made = std::make_unique<Method>();
  made->full_name_ = std::string(full_name);
  made->traits_ = traits;
  made->generation_ = generation;
  made->entries_.push_back(NewEntry(std::move(context)));
  made->current_.store(made->entries_.front().get(), std::memory_order_relaxed);

  std::atomic<Method*>& slot = slots_[SlotOf(full_name)];
  const std::lock_guard<std::mutex> lock(mutex_);
  Method* const first = slot.load(std::memory_order_relaxed);
  if (const Method* const found = Search(first, full_name)) return found->Hold();
  if (generation < generation_) return {};
  size_.fetch_add(1, std::memory_order_relaxed);
  made->next_ = first;
  MethodRef held = made->Hold();
  slot.store(made.release(), std::memory_order_release);
  return held;
}

void LinkMethods::Advance(std::uint64_t generation) {
  const std::lock_guard<std::mutex> lock(mutex_);
  generation_ = generation;
}

void LinkMethods::Replace(Method& method, MethodContext context, std::uint64_t generation) {
  method.generation_ = generation;
  const std::lock_guard<std::mutex> lock(mutex_);
  Entry* const current = method.current_.load(std::memory_order_relaxed);
  Entry* unused = nullptr;
  for (const std::unique_ptr<Entry>& entry : method.entries_) {
    if (SaysTheSame(entry->context, context)) return method.current_.store(entry.get(), std::memory_order_seq_cst);
    if (unused == nullptr && entry.get() != current && entry->holds->none()) unused = entry.get();
  }
  if (unused == nullptr) {
    unused = method.entries_.emplace_back(NewEntry(std::move(context))).get();
  } else {
    // What was there dies with the argument, after the lock.
    std::swap(unused->context, context);
  }
  method.current_.store(unused, std::memory_order_seq_cst);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
