// Instructions that the process executes in user mode, in all its threads.
//
// By the processor's counters (perf_event_open, inherited by threads that start later), or under `valgrind --tool=callgrind` by that, or
// not at all: virtual machines often have no counters. Thread safety: none.
#ifndef RECLOSER_BENCH_GRPC_INSTRUCTIONS_H_
#define RECLOSER_BENCH_GRPC_INSTRUCTIONS_H_

#include <optional>
#include <string>

namespace recloser::bench {

class InstructionCounter {
 public:
  enum class Means { kNone, kProcessor, kCallgrind };

  /// Before the process starts its first thread. Under callgrind `dump_file` is the value of its --callgrind-out-file.
  explicit InstructionCounter(std::string dump_file = "");
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  Means means() const { return means_; }
  /// Why there is no counter.
  const std::string& problem() const { return problem_; }

  void Begin();
  /// Since `Begin`; nothing without a counter.
  std::optional<double> End();

 private:
  std::optional<double> Read() const;
  /// What callgrind counted since the last time.
  std::optional<double> Dump();

  Means means_ = Means::kNone;
  std::string problem_;
  const std::string dump_file_;
  int dumps_ = 0;
  int event_ = -1;
  double begin_ = 0;
};

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_INSTRUCTIONS_H_
