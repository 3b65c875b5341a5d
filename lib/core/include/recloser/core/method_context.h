// Everything that a call needs to know of its method, resolved once and not per call; and the hold that a call has on it.
//
//   MethodRef method = link->Method("/orders.Orders/Get", traits, now);
//   if (method->breaker != nullptr) ...
//   CallSession session(std::move(method), {}, seed);    // the call ends under the policies that it began with
//
// Thread safety: a `MethodContext` is immutable as long as a `MethodRef` holds it. One `MethodRef` belongs to one thread at a time.
#ifndef RECLOSER_CORE_METHOD_CONTEXT_H_
#define RECLOSER_CORE_METHOD_CONTEXT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "recloser/core/export.h"
#include "recloser/core/observer.h"
#include "recloser/core/policies.h"
#include "recloser/core/registry.h"
#include "recloser/core/retry.h"
#include "recloser/core/shared_breaker.h"

namespace recloser {
inline namespace RECLOSER_API {

/// What the transport knows about a method.
struct MethodTraits {
  bool streaming = false;
  /// The .proto declares idempotency_level NO_SIDE_EFFECTS or IDEMPOTENT.
  bool idempotent = false;
  /// Streaming, with one request: it can be kept and sent again.
  bool server_streaming = false;
};

struct MethodContext {
  MethodId id;
  /// "/package.Service/Method"; "" when several methods share this.
  std::string full_name;
  MethodPolicy policy;
  bool streaming = false;
  bool server_streaming = false;
  /// `policy.retry` allows more than one attempt for this method.
  bool retries = false;
  std::shared_ptr<SharedBreaker> breaker;         // null: no breaker
  std::shared_ptr<SharedBreaker> shadow_breaker;  // null: none beside it
  std::shared_ptr<RetryBudget> budget;            // never null
  std::shared_ptr<Registry> registry;             // never null
  std::vector<std::shared_ptr<MethodObserver>> observers;
  /// The link's: a throwing hook was told as a Problem already.
  std::shared_ptr<std::atomic<bool>> hook_problem_told = std::make_shared<std::atomic<bool>>(false);

  /// Tells the observers; what they throw is caught and counted.
  template <class Function>
  void Notify(Function&& notify) const {
    for (const std::shared_ptr<MethodObserver>& observer : observers) registry->Guard([&] { notify(*observer); });
  }
};

/// A hold on a method's context: as long as it lives the context stays what it is, whatever the policies become meanwhile. May be let go on
/// any thread, at the latest before its link dies.
class MethodRef {
 public:
  /// None.
  MethodRef() = default;
  /// A context that outlives this by other means.
  MethodRef(const MethodContext& context) : context_(&context) {}  // NOLINT(google-explicit-constructor): a reference like any other
  MethodRef(MethodRef&& other) noexcept : context_(std::exchange(other.context_, nullptr)), holds_(std::exchange(other.holds_, nullptr)) {}
  MethodRef& operator=(MethodRef&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(holds_, other.holds_);
    return *this;
  }
  ~MethodRef() {
    if (holds_ != nullptr) holds_->fetch_sub(1, std::memory_order_release);
  }

  explicit operator bool() const { return context_ != nullptr; }
  const MethodContext& operator*() const { return *context_; }
  const MethodContext* operator->() const { return context_; }

 private:
  friend class LinkMethods;
  /// `holds` is counted already.
  MethodRef(const MethodContext& context, std::atomic<std::int64_t>& holds) : context_(&context), holds_(&holds) {}

  const MethodContext* context_ = nullptr;
  std::atomic<std::int64_t>* holds_ = nullptr;
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_METHOD_CONTEXT_H_
