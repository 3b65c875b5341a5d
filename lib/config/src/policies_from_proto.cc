#include <map>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "breaker_from_proto.h"
#include "field_access.h"
#include "policy_messages.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

namespace v1 = config::v1;

std::string Quoted(absl::string_view text) { return absl::StrCat("\"", absl::CEscape(text), "\""); }

std::string Element(absl::string_view field, int i) { return absl::StrCat(field, "[", i, "]"); }

RetryOptions ReadRetry(const v1::Retry& from, absl::string_view path, Validator* parent) {
  Validator v(path);
  RetryOptions to;
  ReadFields(from, &v, &to);
  if (from.retryable_codes_size() > 0) to.retryable_codes.clear();
  const bool none = from.retryable_codes_size() == 1 && from.retryable_codes(0) == v1::Retry::NONE;
  for (int i = 0; i < from.retryable_codes_size() && !none; ++i) {
    const v1::Retry::Code code = from.retryable_codes(i);
    v.Require(code != v1::Retry::NONE, Element("retryable_codes", i), "NONE", "must be alone in its list");
    to.retryable_codes.push_back(static_cast<absl::StatusCode>(code));
  }
  ReadNestedFields("backoff", from.backoff(), &v, &to.backoff);
  v.Nested(to.Validate(path));
  parent->Nested(v.status());
  return to;
}

MethodPolicy ReadMethodPolicy(const v1::MethodConfig& from, const PolicyParts& parts, absl::string_view path, Validator* parent) {
  Validator v(path);
  MethodPolicy to;
  ReadFields(from, &v, &to);
  to.retry = ReadRetry(from.retry(), v.Path("retry"), &v);
  to.breaker = BreakerFromProto(from.breaker(), to.breaker.mode, parts, v.Path("breaker"), &v);
  if (from.has_shadow_breaker()) {
    to.shadow_breaker = BreakerFromProto(from.shadow_breaker(), BreakerMode::kShadow, parts, v.Path("shadow_breaker"), &v);
  }
  v.Nested(to.Validate(path));
  parent->Nested(v.status());
  return to;
}

/// Where names that may occur once were given.
using FirstUses = std::map<std::string, std::string>;

void RequireFirst(const std::string& name, const std::string& shown, const std::string& field, FirstUses* uses, Validator* v) {
  const auto [first, is_first] = uses->emplace(name, v->Path(field));
  v->Require(is_first, field, shown, absl::StrCat("must occur once; it is ", first->second, " already"));
}

std::string Shown(const v1::Name& name) {
  std::string text;
  if (name.has_service()) absl::StrAppend(&text, "service: ", Quoted(name.service()));
  if (name.has_method()) absl::StrAppend(&text, text.empty() ? "" : ", ", "method: ", Quoted(name.method()));
  return absl::StrCat("{", text, "}");
}

/// Puts `policy` where `name` says.
void Place(const v1::Name& name, const MethodPolicy& policy, const std::string& field, FirstUses* uses, Validator* v, Policies* to) {
  const auto is_name = [](const std::string& text) { return !text.empty() && !absl::StrContains(text, '/'); };
  v->Require(!name.has_service() || is_name(name.service()), absl::StrCat(field, ".service"), Quoted(name.service()),
             "must be of the form \"package.Service\"; left out it stands for all services");
  v->Require(!name.has_method() || is_name(name.method()), absl::StrCat(field, ".method"), Quoted(name.method()),
             "must be a method's name without its service; left out it stands for all methods");
  v->Require(!name.has_method() || name.has_service(), field, Shown(name), "must have a service too");
  const std::string key = name.has_method() ? absl::StrCat(name.service(), "/", name.method()) : name.service();
  RequireFirst(key, Shown(name), field, uses, v);
  MethodPolicy& place = name.has_method() ? to->methods[key] : name.has_service() ? to->services[key] : to->defaults;
  place = policy;
}

/// `From`: a file or one of its targets, which have the same two fields.
template <class From>
Policies ReadPolicies(const From& from, const PolicyParts& parts, Validator* v) {
  Policies to;
  ReadNestedFields("retry_budget", from.retry_budget(), v, &to.retry_budget);
  v->Nested(to.retry_budget.Validate(v->Path("retry_budget")));
  FirstUses uses;
  for (int i = 0; i < from.method_config_size(); ++i) {
    const v1::MethodConfig& config = from.method_config(i);
    const std::string path = Element("method_config", i);
    const MethodPolicy policy = ReadMethodPolicy(config, parts, v->Path(path), v);
    v->Require(config.name_size() > 0, absl::StrCat(path, ".name"), "nothing",
               "must name what the entry is for; [{}] stands for everything");
    for (int j = 0; j < config.name_size(); ++j) {
      Place(config.name(j), policy, absl::StrCat(path, ".", Element("name", j)), &uses, v, &to);
    }
  }
  return to;
}

}  // namespace

absl::StatusOr<PolicySet> PolicySetFromProto(const v1::PolicyFile& file, const PolicyParts& parts) {
  PolicySet set;
  Validator v("");
  set.defaults = ReadPolicies(file, parts, &v);
  FirstUses uses;
  for (int i = 0; i < file.targets_size(); ++i) {
    const v1::TargetConfig& config = file.targets(i);
    Validator nested(Element("targets", i));
    const Policies policies = ReadPolicies(config, parts, &nested);
    nested.Require(config.target_size() > 0, "target", "nothing", "must name at least one target");
    for (int j = 0; j < config.target_size(); ++j) {
      const std::string field = Element("target", j);
      nested.Require(!config.target(j).empty(), field, "\"\"", "must be a channel's target");
      RequireFirst(config.target(j), Quoted(config.target(j)), field, &uses, &nested);
      set.targets[config.target(j)] = policies;
    }
    v.Nested(nested.status());
  }
  if (!v.status().ok()) return v.status();
  return set;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
