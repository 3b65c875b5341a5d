#include "recloser/core/policies.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recloser/core/validation.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr Duration kShortest = std::chrono::milliseconds(1);
constexpr Duration kLongest = std::chrono::hours(24);

bool IsServiceKey(absl::string_view key) { return !key.empty() && !absl::StrContains(key, '/'); }

bool IsMethodKey(absl::string_view key) { return std::count(key.begin(), key.end(), '/') == 1 && key.front() != '/' && key.back() != '/'; }

std::string Quoted(absl::string_view key) { return absl::StrCat("key \"", absl::CEscape(key), "\""); }

}  // namespace

absl::Status MethodPolicy::Validate(absl::string_view path) const {
  Validator v(path);
  if (deadline) v.InRange("deadline", *deadline, kShortest, kLongest);
  if (attempt_timeout) v.InRange("attempt_timeout", *attempt_timeout, kShortest, kLongest);
  if (stream_idle_timeout) v.InRange("stream_idle_timeout", *stream_idle_timeout, kShortest, kLongest);
  const auto within_deadline = [&](absl::string_view field, const std::optional<Duration>& timeout) {
    if (!deadline || !timeout) return;
    v.Require(*timeout <= *deadline, field, FormatDuration(*timeout),
              absl::StrCat("must be at most `deadline`, ", FormatDuration(*deadline)));
  };
  within_deadline("attempt_timeout", attempt_timeout);
  within_deadline("stream_idle_timeout", stream_idle_timeout);
  v.Nested(retry.Validate(v.Path("retry")));
  v.Nested(breaker.Validate(v.Path("breaker")));
  if (shadow_breaker) {
    v.Require(shadow_breaker->mode == BreakerMode::kShadow, "shadow_breaker.mode", ModeName(shadow_breaker->mode), "must be shadow");
    v.Nested(shadow_breaker->Validate(v.Path("shadow_breaker")));
  }
  return v.status();
}

Policies Policies::Defaults() { return {}; }

Policies Policies::Off() {
  Policies policies;
  policies.defaults.retry.mode = RetryMode::kNever;
  policies.defaults.breaker.mode = BreakerMode::kDisabled;
  return policies;
}

absl::Status Policies::Validate() const {
  Validator v("policies");
  v.Nested(defaults.Validate(v.Path("defaults")));
  for (const auto& [key, policy] : services) {
    v.Require(IsServiceKey(key), "services", Quoted(key), "must be of the form \"package.Service\"");
    v.Nested(policy.Validate(v.Path(absl::StrCat("services[", key, "]"))));
  }
  for (const auto& [key, policy] : methods) {
    v.Require(IsMethodKey(key), "methods", Quoted(key), "must be of the form \"package.Service/Method\"");
    v.Nested(policy.Validate(v.Path(absl::StrCat("methods[", key, "]"))));
  }
  v.Nested(retry_budget.Validate(v.Path("retry_budget")));
  return v.status();
}

const MethodPolicy& Policies::For(absl::string_view service, absl::string_view method) const {
  if (const auto it = methods.find(absl::StrCat(service, "/", method)); it != methods.end()) return it->second;
  if (const auto it = services.find(std::string(service)); it != services.end()) return it->second;
  return defaults;
}

bool IsExcludedService(absl::string_view service) {
  return service == "grpc.health.v1.Health" || service == "grpc.reflection.v1.ServerReflection" ||
         service == "grpc.reflection.v1alpha.ServerReflection";
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
