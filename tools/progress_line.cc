#include "progress_line.h"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace recloser::tools {
namespace {

constexpr int kWidth = 40;

}  // namespace

ProgressLine::ProgressLine() : shown_(isatty(STDERR_FILENO) == 1), started_(std::chrono::steady_clock::now()) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::Show(const sim::Progress& progress) {
  if (!shown_ || progress.total == 0) return;
  const double share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
  const double spent_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  const auto filled = static_cast<std::size_t>(share * kWidth);
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r[%s] %lld of %lld runs", bar.c_str(), static_cast<long long>(progress.done),
               static_cast<long long>(progress.total));
  if (progress.done > 0) std::fprintf(stderr, ", %.0f s left ", spent_s / share - spent_s);
}

}  // namespace recloser::tools
