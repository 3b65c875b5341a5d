#include "recloser/core/link.h"

#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "policy_identity.h"

namespace recloser {
namespace {

MethodId ParseMethod(const std::string& target, absl::string_view full_name) {
  absl::ConsumePrefix(&full_name, "/");
  const std::size_t slash = full_name.rfind('/');
  if (slash == absl::string_view::npos) return {target, std::string(full_name), ""};
  return {target, std::string(full_name.substr(0, slash)), std::string(full_name.substr(slash + 1))};
}

BreakerId Guarding(const MethodId& id, BreakerScope scope) {
  switch (scope) {
    case BreakerScope::kTarget:
      return {id.target, "", ""};
    case BreakerScope::kService:
      return {id.target, id.service, ""};
    case BreakerScope::kMethod:
      break;
  }
  return {id.target, id.service, id.method};
}

BreakerId ShadowOf(BreakerId id) {
  id.method.empty() ? id.service = absl::StrCat(id.name(), "#shadow") : id.method += "#shadow";
  return id;
}

bool Retries(const RetryOptions& retry, const MethodTraits& traits) {
  if (traits.streaming || retry.max_attempts <= 1) return false;
  return retry.mode == RetryMode::kAlways || (retry.mode == RetryMode::kIdempotent && traits.idempotent);
}

}  // namespace

std::shared_ptr<Link> Link::Create(std::string target, Policies policies, std::shared_ptr<Registry> registry) {
  std::shared_ptr<Link> link(new Link(std::move(target), WithIdentifiedHooks(std::move(policies)), std::move(registry)));
  link->registry_->AddBudget(link->target_, link->budget_);
  return link;
}

Link::Link(std::string target, Policies policies, std::shared_ptr<Registry> registry)
    : target_(std::move(target)),
      policies_(std::move(policies)),
      registry_(std::move(registry)),
      budget_(std::make_shared<RetryBudget>(policies_.retry_budget)),
      hook_problem_told_(std::make_shared<std::atomic<bool>>(false)) {}

Link::~Link() {
  for (std::atomic<Node*>& slot : slots_) {
    for (Node* node = slot.load(std::memory_order_acquire); node != nullptr;) delete std::exchange(node, node->next);
  }
}

const MethodContext* Link::Search(const Node* node, absl::string_view full_name) {
  for (; node != nullptr; node = node->next) {
    if (node->full_name == full_name) return &node->context;
  }
  return nullptr;
}

const MethodContext* Link::Find(absl::string_view full_name) const {
  return Search(slots_[absl::HashOf(full_name) % kSlots].load(std::memory_order_acquire), full_name);
}

const MethodContext& Link::Method(absl::string_view full_name, const MethodTraits& traits, Time now) {
  if (const MethodContext* const found = Find(full_name)) return *found;
  if (methods_.load(std::memory_order_relaxed) >= kMaxMethodsPerLink) return Overflow(traits.streaming);
  return Insert(full_name, Resolve(full_name, traits, now));
}

void Link::FreshEvidence(Time now) {
  for (const std::atomic<Node*>& slot : slots_) {
    for (const Node* node = slot.load(std::memory_order_acquire); node != nullptr; node = node->next) {
      for (SharedBreaker* breaker : {node->context.breaker.get(), node->context.shadow_breaker.get()}) {
        if (breaker != nullptr && breaker->state() == BreakerState::kOpen) breaker->FreshEvidence(now);
      }
    }
  }
}

const MethodContext& Link::Overflow(bool streaming) {
  // No method's name: those begin with a slash.
  const absl::string_view name = streaming ? "other, streaming" : "other, unary";
  if (const MethodContext* const found = Find(name)) return *found;
  MethodPolicy policy = policies_.defaults;
  policy.retry.mode = RetryMode::kNever;
  const MethodContext& other = Insert(name, Bare({target_, "other", "other"}, policy, streaming));
  registry_->Report({Problem::Kind::kTooManyMethods, target_,
                     absl::StrCat("methods beyond ", kMaxMethodsPerLink, " share one entry, without breaker and retries")});
  return other;
}

const MethodContext& Link::Insert(absl::string_view full_name, MethodContext context) {
  // The observers were asked outside the lock. Two threads may both get here for one method; the second one's answer is dropped.
  auto node = std::make_unique<Node>(Node{std::string(full_name), std::move(context), nullptr});
  std::atomic<Node*>& slot = slots_[absl::HashOf(full_name) % kSlots];
  const std::lock_guard<std::mutex> lock(adding_);
  Node* const head = slot.load(std::memory_order_relaxed);
  if (const MethodContext* const found = Search(head, full_name)) return *found;
  methods_.fetch_add(1, std::memory_order_relaxed);
  node->next = head;
  slot.store(node.get(), std::memory_order_release);
  return node.release()->context;
}

MethodContext Link::Resolve(absl::string_view full_name, const MethodTraits& traits, Time now) const {
  const MethodId id = ParseMethod(target_, full_name);
  const bool passes = IsExcludedService(id.service) && policies_.methods.count(std::string(absl::StripPrefix(full_name, "/"))) == 0;
  MethodContext context = Bare(id, policies_.For(id.service, id.method), traits.streaming);
  if (passes) return context;
  context.retries = Retries(context.policy.retry, traits);
  context.breaker = registry_->FindOrCreate(Guarding(id, context.policy.breaker.scope), context.policy.breaker, now);
  if (const auto& shadow = context.policy.shadow_breaker) {
    context.shadow_breaker = registry_->FindOrCreate(ShadowOf(Guarding(id, shadow->scope)), *shadow, now);
  }
  return context;
}

MethodContext Link::Bare(MethodId id, const MethodPolicy& policy, bool streaming) const {
  MethodContext context;
  context.id = std::move(id);
  context.policy = policy;
  context.streaming = streaming;
  context.budget = budget_;
  context.registry = registry_;
  context.hook_problem_told = hook_problem_told_;
  for (const std::shared_ptr<Observer>& observer : registry_->observers()) {
    registry_->Guard([&] {
      if (auto interested = observer->ObserveMethod(context.id)) context.observers.push_back(std::move(interested));
    });
  }
  return context;
}

}  // namespace recloser
