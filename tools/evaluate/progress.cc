#include "evaluate/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"

namespace recloser::tools {

EvaluationProgress::EvaluationProgress(Duration estimate) : shown_(isatty(STDERR_FILENO) == 1), left_(estimate) {}

EvaluationProgress::~EvaluationProgress() { Clear(); }

void EvaluationProgress::BeginGroup(const LiveSpec& first, int runs, Duration length) {
  group_ = absl::StrCat(first.setting.scenario, ", seed ", first.setting.seed, ", ", runs, " runs");
  length_ = length;
}

void EvaluationProgress::Show(Duration since_begin) {
  if (!shown_) return;
  const Duration left = std::max(Duration::zero(), left_ - std::min(since_begin, length_));
  std::fprintf(stderr, "\r\033[K%s: %.0f of %.0f s; %.1f min left", group_.c_str(), ToSeconds(since_begin), ToSeconds(length_),
               ToSeconds(left) / 60);
}

void EvaluationProgress::EndGroup() { left_ = std::max(Duration::zero(), left_ - length_); }

void EvaluationProgress::Clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

}  // namespace recloser::tools
