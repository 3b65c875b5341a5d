#include "demo_services/load_client/report.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "recloser/core/outcome.h"

namespace recloser::demo {
namespace {

double Millis(Duration d) { return ToSeconds(d) * 1000; }

double Percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string Codes(const v1::LoadReport& report) {
  std::vector<std::pair<std::uint32_t, std::string>> codes;
  for (const auto& [name, count] : report.codes()) codes.emplace_back(count, name);
  std::sort(codes.rbegin(), codes.rend());
  return absl::StrJoin(codes, ", ", [](std::string* out, const auto& code) { absl::StrAppend(out, code.second, " ", code.first); });
}

}  // namespace

v1::ReconnectBackoff ReconnectBackoffReport() {
  v1::ReconnectBackoff backoff;
  backoff.set_initial_ms(kReconnectBackoff.initial);
  backoff.set_min_ms(kReconnectBackoff.min);
  backoff.set_max_ms(kReconnectBackoff.max);
  return backoff;
}

v1::LoadReport MakeReport(const LoadOptions& options, const LoadEnd& end, const Recorder& recorder) {
  const LoadCounts counts = recorder.counts();
  v1::LoadReport report;
  report.set_target(options.target);
  report.set_arm(std::string(ArmName(options.arm.arm)));
  report.set_api(std::string(ApiName(options.api)));
  report.set_rate(options.rate);
  report.set_duration_seconds(ToSeconds(options.duration));
  report.set_seed(options.seed);
  report.set_slo_ms(Millis(options.slo));
  report.set_deadline_ms(Millis(options.CallDeadline()));
  report.set_attempt_timeout_ms(Millis(options.arm.attempt_timeout));
  *report.mutable_reconnect_backoff() = ReconnectBackoffReport();
  report.set_elapsed_seconds(ToSeconds(end.elapsed));
  report.set_interrupted(end.interrupted);
  report.set_offered(counts.offered);
  report.set_not_sent(counts.not_sent);
  report.set_ok(counts.ok);
  report.set_good(counts.good);
  report.set_rejected(counts.rejected);
  report.set_attempts(counts.attempts);
  report.set_outstanding_max(counts.outstanding_max);
  report.set_goodput_percent(Percent(counts.good, counts.offered));
  const std::uint32_t sent = counts.offered - counts.not_sent;
  report.set_attempts_per_call(sent > 0 ? static_cast<double>(counts.attempts) / sent : 0);
  report.set_late_ms_max(Millis(end.late_max));
  *report.mutable_latency() = recorder.latency();
  for (std::size_t code = 0; code < counts.codes.size(); ++code) {
    if (counts.codes[code] > 0) (*report.mutable_codes())[std::string(CodeName(static_cast<absl::StatusCode>(code)))] = counts.codes[code];
  }
  return report;
}

std::string FormatReport(const v1::LoadReport& r) {
  std::string text = absl::StrFormat("%s, %s, %s: %g calls/s for %g s, seed %d%s\n", r.target(), r.arm(), r.api(), r.rate(),
                                     r.duration_seconds(), r.seed(), r.interrupted() ? " (interrupted)" : "");
  absl::StrAppendFormat(&text, "  calls     %d offered, %d not sent (too many outstanding), at most %d outstanding\n", r.offered(),
                        r.not_sent(), r.outstanding_max());
  absl::StrAppendFormat(&text, "  OK        %d (%.2f %%), within %g ms %d (%.2f %%)\n", r.ok(), Percent(r.ok(), r.offered()), r.slo_ms(),
                        r.good(), r.goodput_percent());
  absl::StrAppendFormat(&text, "  ended     %s; %d of them refused by the breaker\n", Codes(r), r.rejected());
  absl::StrAppendFormat(&text, "  attempts  %d (%.2f per call sent)\n", r.attempts(), r.attempts_per_call());
  absl::StrAppendFormat(&text, "  latency   p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, max %.1f ms (all calls sent)\n", r.latency().p50_ms(),
                        r.latency().p90_ms(), r.latency().p99_ms(), r.latency().max_ms());
  absl::StrAppendFormat(&text, "  client    arrivals at most %.1f ms late; gRPC reconnects after %d ms, at least %d, at most %d ms\n",
                        r.late_ms_max(), r.reconnect_backoff().initial_ms(), r.reconnect_backoff().min_ms(),
                        r.reconnect_backoff().max_ms());
  return text;
}

}  // namespace recloser::demo
