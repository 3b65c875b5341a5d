#include "recloser/core/link.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "link_methods.h"
#include "policy_identity.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

// No methods' names: those begin with a slash.
constexpr absl::string_view kOtherUnary = "other, unary";
constexpr absl::string_view kOtherStreaming = "other, streaming";

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
  if (retry.max_attempts <= 1) return false;
  if (traits.streaming && !(traits.server_streaming && retry.retry_server_streams)) return false;
  return retry.mode == RetryMode::kAlways || (retry.mode == RetryMode::kIdempotent && traits.idempotent);
}

std::shared_ptr<const Policies> PoliciesOf(const PolicyVersion& version, const std::string& target) {
  return {version.set, &version.set->For(target)};
}

}  // namespace

std::shared_ptr<Link> Link::Create(std::string target, Policies policies, std::shared_ptr<Registry> registry) {
  std::shared_ptr<Link> link(new Link(std::move(target), nullptr, std::move(registry)));
  link->Begin({std::make_shared<const Policies>(WithIdentifiedHooks(std::move(policies))), 0});
  return link;
}

std::shared_ptr<Link> Link::Create(std::string target, std::shared_ptr<PolicySource> source, std::shared_ptr<Registry> registry) {
  std::shared_ptr<Link> link(new Link(std::move(target), std::move(source), std::move(registry)));
  link->registry_->AddSource(link->source_);
  const PolicyVersion first =
      link->source_->Subscribe(link, [to = link.get()](const PolicyVersion& next, Time now) { to->Follow(next, now); });
  link->Begin({PoliciesOf(first, link->target_), first.generation});
  return link;
}

Link::Link(std::string target, std::shared_ptr<PolicySource> source, std::shared_ptr<Registry> registry)
    : target_(std::move(target)),
      source_(std::move(source)),
      registry_(std::move(registry)),
      budget_(std::make_shared<RetryBudget>(RetryBudgetOptions())),
      hook_problem_told_(std::make_shared<std::atomic<bool>>(false)),
      methods_(std::make_unique<LinkMethods>(source_ != nullptr)) {
  registry_->AddBudget(target_, budget_);
}

Link::~Link() = default;

Link::Version Link::version() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return version_;
}

void Link::Begin(Version next) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (version_.policies != nullptr && version_.generation >= next.generation) return;
  std::swap(version_, next);  // what was there dies with the argument, after the lock: its hooks are code of the user
  budget_->Resize(version_.policies->retry_budget);
}

void Link::Follow(const PolicyVersion& next, Time now) {
  const Version version{PoliciesOf(next, target_), next.generation};
  // First those in use, so that their breakers are taken over before methods that are new can ask for any.
  Apply(version, now);
  Begin(version);
  methods_->Advance(version.generation);
  Apply(version, now);
}

void Link::Apply(const Version& version, Time now) {
  std::vector<std::shared_ptr<SharedBreaker>> left;
  methods_->ForEach([&](LinkMethods::Method& method) {
    if (method.generation() >= version.generation) return;
    MethodContext next = Resolve(version, method.full_name(), method.traits(), now);
    const MethodRef before = method.Hold();
    for (const auto& breaker : {before->breaker, before->shadow_breaker}) {
      if (breaker != nullptr && breaker != next.breaker && breaker != next.shadow_breaker) left.push_back(breaker);
    }
    methods_->Replace(method, std::move(next), version.generation);
  });
  // Of another scope, or a shadow that is wanted no more. Unless somebody else of the source asks for it, it is turned off: an open breaker
  // that nobody asks would stay open, and be told as an outage, for ever.
  for (const std::shared_ptr<SharedBreaker>& breaker : left) {
    BreakerOptions off = *breaker->options();
    off.mode = BreakerMode::kDisabled;
    registry_->FindOrCreate(breaker->id(), off, now, {source_, version.generation});
  }
}

MethodRef Link::Find(absl::string_view full_name) const { return methods_->Find(full_name); }

MethodRef Link::Method(absl::string_view full_name, const MethodTraits& traits, Time now) {
  if (MethodRef found = Find(full_name)) return found;
  const bool overflow = methods_->size() >= kMaxMethodsPerLink;
  if (overflow) {
    full_name = traits.streaming ? kOtherStreaming : kOtherUnary;
    if (MethodRef found = Find(full_name)) return found;
  }
  while (true) {
    // The observers are asked outside the lock. Two threads may both get here for one method; the second one's answer is dropped.
    const Version latest = version();
    MethodRef method = methods_->Insert(full_name, traits, Resolve(latest, full_name, traits, now), latest.generation);
    if (!method) continue;
    if (overflow) {
      registry_->Report({Problem::Kind::kTooManyMethods, target_,
                         absl::StrCat("methods beyond ", kMaxMethodsPerLink, " share one entry, without breaker and retries")});
    }
    return method;
  }
}

void Link::FreshEvidence(Time now) {
  methods_->ForEach([&](const LinkMethods::Method& method) {
    const MethodRef context = method.Hold();
    for (SharedBreaker* breaker : {context->breaker.get(), context->shadow_breaker.get()}) {
      if (breaker != nullptr && breaker->state() == BreakerState::kOpen) breaker->FreshEvidence(now);
    }
  });
}

MethodContext Link::Resolve(const Version& version, absl::string_view full_name, const MethodTraits& traits, Time now) const {
  const Policies& policies = *version.policies;
  const bool other = full_name == kOtherUnary || full_name == kOtherStreaming;
  const MethodId id = other ? MethodId{target_, "other", "other"} : ParseMethod(target_, full_name);
  MethodContext context = Bare(id, other ? policies.defaults : policies.For(id.service, id.method), traits);
  const MethodRef before = Find(full_name);
  context.observers = before ? before->observers : ObserversOf(id);
  if (other) {
    context.policy.retry.mode = RetryMode::kNever;
  } else {
    context.full_name = std::string(full_name);
  }
  const bool passes = IsExcludedService(id.service) && policies.methods.count(std::string(absl::StripPrefix(full_name, "/"))) == 0;
  if (other || passes) return context;
  const PolicyStamp stamp{source_, version.generation};
  context.retries = Retries(context.policy.retry, traits);
  context.breaker = registry_->FindOrCreate(Guarding(id, context.policy.breaker.scope), context.policy.breaker, now, stamp);
  if (const auto& shadow = context.policy.shadow_breaker) {
    context.shadow_breaker = registry_->FindOrCreate(ShadowOf(Guarding(id, shadow->scope)), *shadow, now, stamp);
  }
  return context;
}

MethodContext Link::Bare(MethodId id, const MethodPolicy& policy, const MethodTraits& traits) const {
  MethodContext context;
  context.id = std::move(id);
  context.policy = policy;
  context.streaming = traits.streaming;
  context.server_streaming = traits.server_streaming;
  context.budget = budget_;
  context.registry = registry_;
  context.hook_problem_told = hook_problem_told_;
  return context;
}

std::vector<std::shared_ptr<MethodObserver>> Link::ObserversOf(const MethodId& id) const {
  std::vector<std::shared_ptr<MethodObserver>> observers;
  for (const std::shared_ptr<Observer>& observer : registry_->observers()) {
    registry_->Guard([&] {
      if (auto interested = observer->ObserveMethod(id)) observers.push_back(std::move(interested));
    });
  }
  return observers;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
