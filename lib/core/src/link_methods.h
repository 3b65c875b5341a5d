// The methods of a link by name: every call looks one up, few ever add one, an update of the policies gives each a new context.
//
// A hash table of lists that only grow, read without a lock. Each method has one current context and, when policies change, some earlier
// ones that calls in flight still hold. A context is held in three steps: load the current one, count a hold on it, look whether it
// still is the current one; if not, take the hold back and begin again. A context is written anew only when it is not the current one and,
// after that, its holds are seen to be none. Both sides write first and look afterwards, in one total order (seq_cst), so that either the
// writer sees the hold or the reader sees that the context is not current any more. Memory is given back only with the link, so counting a
// hold on a context that was just retired is harmless, and so is one that became current again, with other content: a reader looks at the
// content after the last step only.
//
// Cost: a method has at most one context more than calls in flight began under different ones, and at most one for each set of
// policies that differs for it. A call pays two atomic additions on a counter that threads share by eights; without a source nothing.
#ifndef RECLOSER_CORE_SRC_LINK_METHODS_H_
#define RECLOSER_CORE_SRC_LINK_METHODS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "recloser/core/method_context.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class LinkMethods {
 public:
  class Method;

  /// `changing`: contexts will be replaced.
  explicit LinkMethods(bool changing) : changing_(changing) {}
  ~LinkMethods();
  LinkMethods(const LinkMethods&) = delete;
  LinkMethods& operator=(const LinkMethods&) = delete;

  /// None when there is none.
  MethodRef Find(absl::string_view full_name) const;
  /// The method of this name that is there already, else `context`; none when `generation` is out of date.
  MethodRef Insert(absl::string_view full_name, const MethodTraits& traits, MethodContext context, std::uint64_t generation);
  int size() const { return size_.load(std::memory_order_relaxed); }

  /// From now on contexts of an older generation are not inserted.
  void Advance(std::uint64_t generation);
  /// `context` is the current one from now on.
  void Replace(Method& method, MethodContext context, std::uint64_t generation);
  template <class Function>
  void ForEach(Function&& visit) const;

 private:
  /// The holds of one context, spread so that callers on several processors do not contend for one cache line.
  class Holds {
   public:
    std::atomic<std::int64_t>& OfThisThread();
    bool none() const;

   private:
    struct alignas(64) Count {
      std::atomic<std::int64_t> value{0};
    };
    std::array<Count, 8> counts_;
  };
  struct Entry {
    MethodContext context;
    std::unique_ptr<Holds> holds;  // null unless contexts are replaced
  };
  static constexpr std::size_t kSlots = 256;

  static std::size_t SlotOf(absl::string_view full_name);
  static Method* Search(Method* first, absl::string_view full_name);
  std::unique_ptr<Entry> NewEntry(MethodContext context) const;

  const bool changing_;
  std::atomic<int> size_{0};
  std::array<std::atomic<Method*>, kSlots> slots_{};
  std::mutex mutex_;
  std::uint64_t generation_ = 0;  // guarded by `mutex_`, as writing to the lists is
};

class LinkMethods::Method {
 public:
  const std::string& full_name() const { return full_name_; }
  const MethodTraits& traits() const { return traits_; }
  /// Of the policies that the current context is of. For the one thread that replaces contexts.
  std::uint64_t generation() const { return generation_; }
  MethodRef Hold() const;

 private:
  friend class LinkMethods;
  std::string full_name_;
  MethodTraits traits_;
  std::uint64_t generation_ = 0;
  std::atomic<Entry*> current_{nullptr};
  std::vector<std::unique_ptr<Entry>> entries_;  // guarded by `mutex_`
  Method* next_ = nullptr;
};

template <class Function>
void LinkMethods::ForEach(Function&& visit) const {
  for (const std::atomic<Method*>& slot : slots_) {
    for (Method* method = slot.load(std::memory_order_acquire); method != nullptr; method = method->next_) visit(*method);
  }
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_LINK_METHODS_H_
