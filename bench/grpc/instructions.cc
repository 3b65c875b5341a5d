#include "instructions.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define RECLOSER_BENCH_HAS_CALLGRIND
#endif

namespace recloser::bench {
namespace {

int OpenEvent() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;  // what all may count (perf_event_paranoid 2)
  attributes.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, /*pid=*/0, /*cpu=*/-1, /*group=*/-1, /*flags=*/0UL));
}

bool UnderCallgrind() {
#ifdef RECLOSER_BENCH_HAS_CALLGRIND
  return RUNNING_ON_VALGRIND != 0;
#else
  return false;
#endif
}

/// The total of one of callgrind's files.
std::optional<double> TotalOf(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    absl::string_view rest = line;
    double total = 0;
    if ((absl::ConsumePrefix(&rest, "summary: ") || absl::ConsumePrefix(&rest, "totals: ")) && absl::SimpleAtod(rest, &total)) return total;
  }
  return std::nullopt;
}

}  // namespace

InstructionCounter::InstructionCounter(std::string dump_file) : dump_file_(std::move(dump_file)) {
  if (UnderCallgrind()) {
    means_ = Means::kCallgrind;
    return;
  }
  event_ = OpenEvent();
  if (event_ < 0) {
    problem_ = absl::StrCat("perf_event_open: ", std::strerror(errno));
    return;
  }
  means_ = Means::kProcessor;
}

InstructionCounter::~InstructionCounter() {
  if (event_ >= 0) close(event_);
}

std::optional<double> InstructionCounter::Read() const {
  std::uint64_t count = 0;
  if (event_ < 0 || read(event_, &count, sizeof count) != static_cast<ssize_t>(sizeof count)) return std::nullopt;
  return static_cast<double>(count);
}

std::optional<double> InstructionCounter::Dump() {
#ifdef RECLOSER_BENCH_HAS_CALLGRIND
  CALLGRIND_DUMP_STATS;
#endif
  const std::string file = absl::StrCat(dump_file_, ".", ++dumps_);
  const std::optional<double> total = TotalOf(file);
  std::remove(file.c_str());
  return total;
}

void InstructionCounter::Begin() {
  // Not CALLGRIND_ZERO_STATS: that leaves the other threads' counts.
  if (means_ == Means::kCallgrind) Dump();
  if (means_ == Means::kProcessor) begin_ = Read().value_or(0);
}

std::optional<double> InstructionCounter::End() {
  if (means_ == Means::kCallgrind) return Dump();
  const std::optional<double> end = Read();
  return end.has_value() ? std::optional<double>(*end - begin_) : std::nullopt;
}

}  // namespace recloser::bench
