#include "recloser/config/policy_advice.h"

#include <algorithm>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "breaker_advice.h"
#include "method_catalog.h"
#include "recloser/core/validation.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

// A round trip inside one region takes about a millisecond, and a busy thread is late by as much.
constexpr Duration kHardlyPossible = std::chrono::milliseconds(5);
// More than this many attempts multiply load more than they help; gRPC allows no more (gRFC A6).
constexpr int kManyAttempts = 5;
constexpr std::size_t kNamesShown = 3;

/// One entry of a channel's policies.
struct Entry {
  std::string service;  // "": the defaults
  std::string method;   // "": all methods of the service
  const MethodPolicy* policy;

  bool is_wide() const { return method.empty(); }
  std::string name() const { return service.empty() ? "defaults" : method.empty() ? service : absl::StrCat(service, "/", method); }
};

std::vector<Entry> EntriesOf(const Policies& policies) {
  std::vector<Entry> entries = {{"", "", &policies.defaults}};
  for (const auto& [service, policy] : policies.services) entries.push_back({service, "", &policy});
  for (const auto& [key, policy] : policies.methods) {
    const std::size_t slash = key.find('/');
    entries.push_back({key.substr(0, slash), key.substr(slash + 1), &policy});
  }
  return entries;
}

bool Retries(const MethodPolicy& policy) { return policy.retry.mode != RetryMode::kNever && policy.retry.max_attempts > 1; }

std::string Some(const std::vector<std::string>& names) {
  const std::vector<std::string> shown(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kNamesShown)));
  const std::size_t more = names.size() - shown.size();
  return absl::StrCat(absl::StrJoin(shown, ", "), more > 0 ? absl::StrCat(" and ", more, " more") : "");
}

class Advisor {
 public:
  Advisor(const Policies& policies, std::string prefix, const AdviceOptions& options, const MethodCatalog& catalog,
          std::vector<PolicyAdvice>* advice)
      : policies_(policies), prefix_(std::move(prefix)), options_(options), catalog_(catalog), advice_(*advice) {}

  void Run() {
    AdviseBudget();
    for (const Entry& entry : EntriesOf(policies_)) {
      AdviseTimes(entry);
      AdviseRetry(entry);
      AdviseBreakers(*entry.policy, absl::StrCat(prefix_, entry.name()), &advice_);
      AdviseNames(entry);
    }
    if (options_.service_config != nullptr) AdviseServiceConfig();
  }

 private:
  void Warn(absl::string_view where, absl::string_view text) {
    advice_.push_back({PolicyAdvice::Level::kWarning, absl::StrCat(prefix_, where), std::string(text)});
  }
  void Note(absl::string_view where, absl::string_view text) {
    advice_.push_back({PolicyAdvice::Level::kNote, absl::StrCat(prefix_, where), std::string(text)});
  }

  void AdviseBudget() {
    const auto entries = EntriesOf(policies_);
    const bool retries = std::any_of(entries.begin(), entries.end(), [](const Entry& entry) { return Retries(*entry.policy); });
    const RetryBudgetOptions& budget = policies_.retry_budget;
    if (!retries) return;
    if (!budget.enabled) Warn("retry budget", "is off: when all attempts fail, retries multiply the load by max_attempts");
    if (budget.enabled && budget.token_ratio >= 1) {
      Warn("retry budget", absl::StrCat("token_ratio ", budget.token_ratio, ": every second attempt may be a retry, which limits little"));
    }
  }

  void AdviseTimes(const Entry& entry) {
    const MethodPolicy& p = *entry.policy;
    const std::string name = entry.name();
    if (p.deadline && *p.deadline < kHardlyPossible) {
      Warn(name, absl::StrCat("deadline ", FormatDuration(*p.deadline), " is shorter than a call over a network takes"));
    } else if (p.attempt_timeout && *p.attempt_timeout < kHardlyPossible) {
      Warn(name, absl::StrCat("attempt_timeout ", FormatDuration(*p.attempt_timeout), " is shorter than an attempt over a network takes"));
    }
    if (p.deadline && p.attempt_timeout) AdviseAttemptsInDeadline(name, p);
    if (p.deadline && Retries(p) && p.retry.backoff.base >= *p.deadline) {
      Warn(name, absl::StrCat("the first back-off, up to ", FormatDuration(p.retry.backoff.base), ", mostly ends after the deadline, ",
                              FormatDuration(*p.deadline)));
    }
    const std::optional<Duration> wider = WiderDeadline(entry);
    if (!p.deadline && wider) {
      Note(name,
           absl::StrCat("has no deadline: entries are not merged, the ", FormatDuration(*wider), " of the wider entry does not hold here"));
    }
  }

  void AdviseAttemptsInDeadline(const std::string& name, const MethodPolicy& p) {
    const auto whole = static_cast<int>(std::min<std::int64_t>(*p.deadline / *p.attempt_timeout, 100));
    const std::string times =
        absl::StrCat("attempt_timeout ", FormatDuration(*p.attempt_timeout), " within a deadline of ", FormatDuration(*p.deadline));
    if (*p.attempt_timeout == *p.deadline) {
      Warn(name, absl::StrCat(times, Retries(p) ? ": no time for a retry is left when an attempt times out" : " does nothing"));
    } else if (Retries(p) && p.retry.retry_attempt_timeouts && whole < 2) {
      Warn(name, absl::StrCat(times, ": a retry of an attempt that timed out cannot have its whole time"));
    } else if (Retries(p) && p.retry.retry_attempt_timeouts && whole < p.retry.max_attempts) {
      Note(name, absl::StrCat(times, ": of ", p.retry.max_attempts, " attempts that all time out, ", whole, " have their whole time"));
    }
  }

  /// The deadline of the entry that would hold without this one.
  std::optional<Duration> WiderDeadline(const Entry& entry) const {
    if (entry.service.empty()) return std::nullopt;
    const auto service = policies_.services.find(entry.service);
    if (entry.is_wide() || service == policies_.services.end()) return policies_.defaults.deadline;
    return service->second.deadline;
  }

  void AdviseRetry(const Entry& entry) {
    const MethodPolicy& p = *entry.policy;
    if (!Retries(p) && p.retry.retry_server_streams) Warn(entry.name(), "retry_server_streams does nothing: nothing is retried here");
    if (!Retries(p)) return;
    if (p.retry.max_attempts > kManyAttempts) {
      Note(entry.name(), absl::StrCat(p.retry.max_attempts, " attempts for each call are many; gRPC allows ", kManyAttempts));
    }
    if (p.retry.retryable_codes.empty() && !p.retry.retry_rejections && !(p.retry.retry_attempt_timeouts && p.attempt_timeout)) {
      Warn(entry.name(), "retries nothing: it has neither retryable_codes nor an attempt_timeout");
    }
    if (p.retry.mode == RetryMode::kAlways) AdviseAlways(entry);
  }

  void AdviseAlways(const Entry& entry) {
    if (options_.descriptors == nullptr) {
      if (entry.is_wide())
        Warn(entry.name(), "retry.mode ALWAYS repeats every method here, also those that change something; name the safe ones");
      return;
    }
    std::vector<std::string> unsafe;
    for (const auto& [service, methods] : catalog_) {
      for (const auto& [method, facts] : methods) {
        if (&policies_.For(service, method) == entry.policy && !facts.idempotent) unsafe.push_back(absl::StrCat(service, "/", method));
      }
    }
    if (!unsafe.empty()) {
      Warn(entry.name(), absl::StrCat("retry.mode ALWAYS repeats methods that are not declared idempotent: ", Some(unsafe)));
    }
  }

  void AdviseNames(const Entry& entry) {
    if (entry.is_wide() && IsExcludedService(entry.service)) {
      Warn(entry.name(), "passes without retry and breaker unless each method is named; here only the times hold");
    }
    if (options_.descriptors == nullptr || entry.service.empty() || IsExcludedService(entry.service)) return;
    const auto service = catalog_.find(entry.service);
    if (service == catalog_.end()) {
      Warn(entry.name(), "the descriptors have no such service");
      return;
    }
    const auto method = service->second.find(entry.method);
    if (!entry.is_wide() && method == service->second.end()) {
      Warn(entry.name(), absl::StrCat("the descriptors have no such method in ", entry.service));
    } else if (!entry.is_wide()) {
      AdviseMethod(entry, method->second);
    }
  }

  void AdviseMethod(const Entry& entry, const CatalogMethod& facts) {
    const MethodPolicy& p = *entry.policy;
    if (p.retry.mode == RetryMode::kIdempotent && p.retry.max_attempts > 1 && !facts.idempotent) {
      Note(entry.name(), "is not retried: its .proto declares no idempotency_level");
    }
    const bool repeatable = facts.server_streaming && p.retry.retry_server_streams && Retries(p);
    if (facts.streaming && !repeatable && p.attempt_timeout) Note(entry.name(), "is a stream: attempt_timeout does not hold");
    if (!facts.server_streaming && p.retry.retry_server_streams) {
      Note(entry.name(), "is no server-streaming method: retry_server_streams does nothing");
    }
    if (!facts.streaming && p.stream_idle_timeout) Note(entry.name(), "is no stream: stream_idle_timeout does nothing");
  }

  /// Every name that either side has, once.
  void AdviseServiceConfig() {
    std::set<std::pair<std::string, std::string>> names;
    for (const Policies* const side : {&policies_, options_.service_config}) {
      for (const Entry& entry : EntriesOf(*side)) names.emplace(entry.service, entry.method);
    }
    for (const auto& [service, method] : names) {
      const MethodPolicy& ours = policies_.For(service, method);
      const MethodPolicy& theirs = options_.service_config->For(service, method);
      if (!Retries(ours) || !Retries(theirs)) continue;
      Warn(Entry{service, method, &ours}.name(),
           absl::StrCat("the service config has a retryPolicy here: gRPC retries and Recloser does not; both together could make ",
                        ours.retry.max_attempts * theirs.retry.max_attempts, " attempts. Take the retryPolicy out"));
    }
  }

  const Policies& policies_;
  const std::string prefix_;
  const AdviceOptions& options_;
  const MethodCatalog& catalog_;
  std::vector<PolicyAdvice>& advice_;
};

}  // namespace

absl::string_view LevelName(PolicyAdvice::Level level) { return level == PolicyAdvice::Level::kNote ? "note" : "warning"; }

std::vector<PolicyAdvice> Advise(const PolicySet& set, const AdviceOptions& options) {
  const MethodCatalog catalog = options.descriptors == nullptr ? MethodCatalog() : CatalogOf(*options.descriptors);
  std::vector<PolicyAdvice> advice;
  Advisor(set.defaults, "", options, catalog, &advice).Run();
  for (const auto& [target, policies] : set.targets) Advisor(policies, absl::StrCat(target, " "), options, catalog, &advice).Run();
  return advice;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
