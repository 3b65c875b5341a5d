#include "demo_services/load_client/progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "demo_services/load_client/json.h"
#include "demo_services/load_client/watcher.h"

namespace recloser::demo {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(500);

double Percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

}  // namespace

Progress::Progress(ProgressKind kind, std::shared_ptr<const Recorder> recorder)
    : form_(kind == ProgressKind::kJsonl                                ? Form::kJsonl
            : kind == ProgressKind::kAuto && isatty(STDERR_FILENO) == 1 ? Form::kTerminal
                                                                        : Form::kNone),
      recorder_(std::move(recorder)) {}

void Progress::Stop() {
  if (!thread_.joinable()) return;
  stop_.Request();
  thread_.join();
  Report(std::chrono::steady_clock::now());
  if (form_ == Form::kTerminal) std::fputs("\n", stderr);
}

void Progress::Ready(const std::string& metrics_url, const std::string& page_url) {
  v1::LoadEvent event;
  event.mutable_ready()->set_metrics_url(metrics_url);
  event.mutable_ready()->set_page_url(page_url);
  if (form_ == Form::kJsonl) return Write(event);
  if (!metrics_url.empty()) absl::FPrintF(stderr, "metrics %s\n", metrics_url);
  if (!page_url.empty()) absl::FPrintF(stderr, "status page %s\n", page_url);
}

void Progress::Start(SteadyTime start, std::function<std::string()> breaker_state) {
  if (form_ == Form::kNone) return;
  start_ = start;
  breaker_state_ = std::move(breaker_state);
  thread_ = std::thread([this] {
    for (SteadyTime next = start_ + kInterval; !stop_.WaitUntil(next); next += kInterval) Report(next);
  });
}

void Progress::BreakerChanged(const BreakerTransition& transition) {
  v1::LoadEvent event;
  v1::BreakerChange& change = *event.mutable_breaker();
  change.set_at_seconds(ToSeconds(TimeOf(transition) - start_));
  change.set_from(std::string(StateName(transition.from)));
  change.set_to(std::string(StateName(transition.to)));
  change.set_reason(std::string(ReasonName(transition.reason)));
  change.set_explanation(Explain(transition));
  if (form_ == Form::kJsonl) Write(event);
  if (form_ == Form::kTerminal) {
    const std::lock_guard<std::mutex> lock(write_mutex_);
    absl::FPrintF(stderr, "\r\033[K%6.1f s  %s\n", change.at_seconds(), change.explanation());
  }
}

void Progress::Report(SteadyTime now) {
  const LoadCounts counts = recorder_->counts();
  v1::LoadEvent event;
  v1::LoadEvent::Interval& interval = *event.mutable_interval();
  interval.set_at_seconds(ToSeconds(now - start_));
  interval.set_arrived(counts.offered - reported_.offered);
  interval.set_finished(counts.finished - reported_.finished);
  interval.set_good(counts.good - reported_.good);
  interval.set_rejected(counts.rejected - reported_.rejected);
  interval.set_outstanding(counts.outstanding());
  interval.set_breaker_state(breaker_state_());
  reported_ = counts;
  if (form_ == Form::kJsonl) {
    Write(event);
    return;
  }
  const std::lock_guard<std::mutex> lock(write_mutex_);
  absl::FPrintF(stderr, "\r\033[K%6.1f s  offered %d  OK %.1f %%  in time %.1f %%  refused %d  outstanding %d  %s", interval.at_seconds(),
                counts.offered, Percent(counts.ok, counts.offered), Percent(counts.good, counts.offered), counts.rejected,
                counts.outstanding(), interval.breaker_state());
  std::fflush(stderr);
}

void Progress::Write(const v1::LoadEvent& event) {
  const std::string line = absl::StrCat(ToJsonLine(event), "\n");
  const std::lock_guard<std::mutex> lock(write_mutex_);
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

}  // namespace recloser::demo
