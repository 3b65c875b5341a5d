// A line on stderr that says how far a long computation is; nothing when stderr is not a terminal.
#ifndef RECLOSER_TOOLS_PROGRESS_LINE_H_
#define RECLOSER_TOOLS_PROGRESS_LINE_H_

#include <chrono>

#include "recloser/sim/runner.h"

namespace recloser::tools {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(const sim::Progress& progress);

 private:
  const bool shown_;
  const std::chrono::steady_clock::time_point started_;
};

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_PROGRESS_LINE_H_
