#include "scenario_check.h"

#include <cstdint>
#include <set>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "recloser/config/duration.h"
#include "recloser/core/validation.h"

namespace recloser::sim {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr Duration kDay = hours(24);
constexpr std::size_t kMaxNameBytes = 32;
constexpr std::size_t kMaxTitleBytes = 100;
constexpr double kMaxRate = 1e6;

void CheckText(Validator& v, absl::string_view field, const std::string& text, std::size_t shortest, std::size_t longest) {
  v.Require(text.size() >= shortest && text.size() <= longest, field, absl::StrCat("\"", absl::CEscape(text), "\""),
            absl::StrCat("must have from ", shortest, " to ", longest, " characters"));
}

/// A duration that may be absent.
void CheckDuration(Validator& v, absl::string_view field, bool present, const google::protobuf::Duration& value, Duration low,
                   Duration high = kDay) {
  if (present) v.InRange(field, FromProto(value), low, high);
}

void CheckRequired(Validator& v, absl::string_view field, bool present) { v.Require(present, field, "nothing", "is required"); }

void CheckNumber(Validator& v, absl::string_view field, bool present, double value, double low, double high) {
  if (present) v.InRange(field, value, low, high);
}

/// Printed in full, not as 1e+06.
void CheckInteger(Validator& v, absl::string_view field, bool present, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (present) v.Require(value >= low && value <= high, field, absl::StrCat(value), absl::StrCat("must be from ", low, " to ", high));
}

absl::Status CheckLoad(const v1::Load& load, absl::string_view path) {
  Validator v(path);
  CheckNumber(v, "rate", load.has_rate(), load.rate(), 0, kMaxRate);
  CheckInteger(v, "clients", load.has_clients(), load.clients(), 1, 10'000);
  Duration earliest = Duration::zero();
  for (int i = 0; i < load.changes_size(); ++i) {
    const v1::RateChange& change = load.changes(i);
    const std::string field = absl::StrCat("changes[", i, "]");
    v.InRange(absl::StrCat(field, ".at"), FromProto(change.at()), earliest, kDay);
    CheckRequired(v, absl::StrCat(field, ".rate"), change.has_rate());
    CheckNumber(v, absl::StrCat(field, ".rate"), change.has_rate(), change.rate(), 0, kMaxRate);
    v.InRange(absl::StrCat(field, ".over"), FromProto(change.over()), Duration::zero(), kDay);
    earliest = SaturatingAdd(FromProto(change.at()), FromProto(change.over()));
  }
  return v.status();
}

absl::Status CheckCalls(const v1::Calls& calls, absl::string_view path) {
  Validator v(path);
  CheckInteger(v, "attempts", calls.has_attempts(), calls.attempts(), 1, 100);
  CheckDuration(v, "attempt_timeout", calls.has_attempt_timeout(), calls.attempt_timeout(), milliseconds(1));
  CheckDuration(v, "deadline", calls.has_deadline(), calls.deadline(), milliseconds(1));
  CheckDuration(v, "slo", calls.has_slo(), calls.slo(), milliseconds(1));
  CheckDuration(v, "round_trip", calls.has_round_trip(), calls.round_trip(), Duration::zero());
  const Calls defaults;
  const Duration timeout = calls.has_attempt_timeout() ? FromProto(calls.attempt_timeout()) : defaults.attempt_timeout;
  const Duration deadline = calls.has_deadline() ? FromProto(calls.deadline()) : defaults.deadline;
  v.Require(timeout <= deadline, "attempt_timeout", FormatDuration(timeout),
            absl::StrCat("must be at most `deadline`, ", FormatDuration(deadline)));
  return v.status();
}

absl::Status CheckFlapping(const v1::Flapping& flapping, absl::string_view path) {
  Validator v(path);
  v.InRange("down", FromProto(flapping.down()), milliseconds(1), kDay);
  v.InRange("up", FromProto(flapping.up()), milliseconds(1), kDay);
  CheckInteger(v, "cycles", true, flapping.cycles(), 1, 10'000);
  CheckNumber(v, "jitter", flapping.has_jitter(), flapping.jitter(), 0, 0.9);
  return v.status();
}

void CheckFaultKind(Validator& v, const v1::Fault& fault) {
  switch (fault.kind_case()) {
    case v1::Fault::kRefused:
    case v1::Fault::kBlackhole:
      break;
    case v1::Fault::kSlowFactor:
      v.InRange("slow_factor", fault.slow_factor(), 0.001, 1e6);
      break;
    case v1::Fault::kErrors:
      CheckRequired(v, "errors.share", fault.errors().has_share());
      v.InRange("errors.share", fault.errors().share(), 0, 1);
      break;
    case v1::Fault::kCapacity:
      CheckRequired(v, "capacity.start", fault.capacity().has_start());
      v.InRange("capacity.start", fault.capacity().start(), 0.001, 10);
      CheckNumber(v, "capacity.end", fault.capacity().has_end(), fault.capacity().end(), 0.001, 10);
      break;
    case v1::Fault::kFlapping:
      v.Nested(CheckFlapping(fault.flapping(), v.Path("flapping")));
      break;
    case v1::Fault::kDelay:
      v.InRange("delay", FromProto(fault.delay()), Duration::zero(), hours(1));
      break;
    case v1::Fault::KIND_NOT_SET:
      v.Require(false, "kind", "nothing", "must be one of refused, blackhole, slow_factor, errors, capacity, flapping, delay");
  }
}

absl::Status CheckFault(const v1::Fault& fault, int endpoints, absl::string_view path) {
  Validator v(path);
  CheckDuration(v, "at", fault.has_at(), fault.at(), Duration::zero());
  CheckDuration(v, "start_jitter", fault.has_start_jitter(), fault.start_jitter(), Duration::zero());
  if (fault.kind_case() == v1::Fault::kFlapping) {
    v.Require(!fault.has_length(), "length", FormatDuration(FromProto(fault.length())),
              "must be left out: flapping ends after its last cycle");
  } else {
    CheckRequired(v, "length", fault.has_length());
    v.InRange("length", FromProto(fault.length()), milliseconds(1), kDay);
  }
  CheckDuration(v, "end_jitter", fault.has_end_jitter(), fault.end_jitter(), Duration::zero());
  for (int i = 0; i < fault.endpoints_size(); ++i) {
    CheckInteger(v, absl::StrCat("endpoints[", i, "]"), true, fault.endpoints(i), 0, endpoints - 1);
  }
  CheckFaultKind(v, fault);
  return v.status();
}

absl::Status CheckService(const v1::Scenario& scenario, int index, absl::string_view path) {
  const v1::Service& service = scenario.services(index);
  Validator v(path);
  CheckText(v, "name", service.name(), 1, kMaxNameBytes);
  CheckInteger(v, "workers", service.has_workers(), service.workers(), 1, 100'000);
  CheckDuration(v, "service_time", service.has_service_time(), service.service_time(), microseconds(1));
  CheckNumber(v, "sigma", service.has_sigma(), service.sigma(), 0, 3);
  CheckInteger(v, "queue_limit", service.has_queue_limit(), service.queue_limit(), 0, 10'000'000);
  CheckNumber(v, "background_errors", service.has_background_errors(), service.background_errors(), 0, 1);
  CheckInteger(v, "endpoints", service.has_endpoints(), service.endpoints(), 1, 100);
  for (int i = 0; i < service.calls_size(); ++i) {
    bool later = false;
    for (int s = index + 1; s < scenario.services_size(); ++s) later = later || scenario.services(s).name() == service.calls(i);
    v.Require(later, absl::StrCat("calls[", i, "]"), absl::StrCat("\"", absl::CEscape(service.calls(i)), "\""),
              "must be the name of a service further down the list");
  }
  const int endpoints = service.has_endpoints() ? static_cast<int>(service.endpoints()) : 1;
  for (int i = 0; i < service.faults_size(); ++i) {
    v.Nested(CheckFault(service.faults(i), endpoints, v.Path(absl::StrCat("faults[", i, "]"))));
  }
  return v.status();
}

}  // namespace

absl::Status CheckScenario(const v1::Scenario& scenario) {
  Validator v("");
  CheckText(v, "id", scenario.id(), 1, kMaxNameBytes);
  CheckText(v, "title", scenario.title(), 0, kMaxTitleBytes);
  CheckDuration(v, "warm_up", scenario.has_warm_up(), scenario.warm_up(), Duration::zero());
  CheckRequired(v, "length", scenario.has_length());
  v.InRange("length", FromProto(scenario.length()), milliseconds(100), kDay);
  v.Nested(CheckLoad(scenario.load(), "load"));
  v.Nested(CheckCalls(scenario.calls(), "calls"));
  CheckInteger(v, "services", true, scenario.services_size(), 1, 20);
  std::set<std::string> names;
  for (int i = 0; i < scenario.services_size(); ++i) {
    const std::string path = absl::StrCat("services[", i, "]");
    v.Nested(CheckService(scenario, i, path));
    const std::string& name = scenario.services(i).name();
    v.Require(names.insert(name).second, absl::StrCat(path, ".name"), absl::StrCat("\"", absl::CEscape(name), "\""), "must be unique");
  }
  return v.status();
}

}  // namespace recloser::sim
