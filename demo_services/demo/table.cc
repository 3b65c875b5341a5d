#include "demo_services/demo/table.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "demo_services/demo/text.h"

namespace recloser::demo {
namespace {

constexpr char kRow[] = "%-12s %8s %8s %9s %9s %13s %11s %12s\n";

std::string Reclose(const v1::ArmFigures& arm) {
  if (!arm.has_breaker()) return "-";
  return arm.has_reclose_seconds() ? absl::StrFormat("%.2f", arm.reclose_seconds()) : "never";
}

std::string Row(const v1::ArmFigures& arm) {
  return absl::StrFormat(kRow, arm.arm(), absl::StrFormat("%.1f", arm.goodput_percent()), absl::StrFormat("%.1f", arm.p50_ms()),
                         absl::StrFormat("%.1f", arm.p99_ms()), absl::StrFormat("%.2f", arm.attempts_per_call()),
                         absl::StrCat(arm.attempts_on_dead_service()),
                         arm.has_breaker() ? absl::StrFormat("%.0f", arm.good_calls_refused()) : "-", Reclose(arm));
}

}  // namespace

std::string FormatTable(const v1::DemoReport& report) {
  std::string table = absl::StrFormat(kRow, "", "goodput", "p50", "p99", "attempts", "attempts on", "good calls", "closed again");
  absl::StrAppendFormat(&table, kRow, "arm", "%", "ms", "ms", "per call", "dead service", "refused", "after s");
  for (const v1::ArmFigures& arm : report.arms()) absl::StrAppend(&table, Row(arm));
  absl::StrAppend(
      &table, "\n",
      Wrap(absl::StrFormat(
               "goodput: calls answered OK within %g ms, of all %d. p50, p99: time to any end of a call. Attempts on dead service: "
               "begun while it was blackholed or its process dead. Good calls refused: rejected by the breaker, counted by the share of "
               "the load that the service could have answered then. Closed again: from the restarted process being ready to the moment "
               "the breaker closed for good.",
               report.slo_ms(), report.arms_size() > 0 ? report.arms(0).calls() : 0),
           0));
  const v1::ReconnectBackoff& backoff = report.reconnect_backoff();
  absl::StrAppend(
      &table,
      Wrap(absl::StrFormat("Equal for all: arrivals, faults, %g ms for an attempt, gRPC's reconnect backoff (%d ms, at most %d ms).",
                           report.attempt_timeout_ms(), backoff.initial_ms(), backoff.max_ms()),
           0));
  return table;
}

}  // namespace recloser::demo
