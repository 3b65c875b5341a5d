// A line on stderr that says how far an evaluation is; nothing when stderr is not a terminal.
#ifndef RECLOSER_TOOLS_EVALUATE_PROGRESS_H_
#define RECLOSER_TOOLS_EVALUATE_PROGRESS_H_

#include <string>

#include "evaluate/live_run.h"
#include "recloser/core/time.h"

namespace recloser::tools {

/// Thread safety: none.
class EvaluationProgress {
 public:
  /// `estimate`: of all live runs.
  explicit EvaluationProgress(Duration estimate);
  ~EvaluationProgress();
  EvaluationProgress(const EvaluationProgress&) = delete;
  EvaluationProgress& operator=(const EvaluationProgress&) = delete;

  /// `runs` begin that last for `length`.
  void BeginGroup(const LiveSpec& first, int runs, Duration length);
  void Show(Duration since_begin);
  void EndGroup();
  /// Before something else is printed.
  void Clear();

 private:
  const bool shown_;
  Duration left_;  // when the group began
  std::string group_;
  Duration length_ = Duration::zero();
};

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_EVALUATE_PROGRESS_H_
