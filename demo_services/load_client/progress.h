// What a run says while it runs: a line that is rewritten on a terminal, or LoadEvents as lines of JSON on stdout.
#ifndef RECLOSER_DEMO_SERVICES_LOAD_CLIENT_PROGRESS_H_
#define RECLOSER_DEMO_SERVICES_LOAD_CLIENT_PROGRESS_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "demo_services/common/interrupt.h"
#include "demo_services/load_client/options.h"
#include "demo_services/load_client/recorder.h"
#include "recloser/core/breaker.h"

namespace recloser::demo {

/// Thread safety: any member from any thread, but `Start` and `Stop`.
class Progress {
 public:
  /// `kind` kAuto: the terminal's line if stderr is one.
  Progress(ProgressKind kind, std::shared_ptr<const Recorder> recorder);
  ~Progress() { Stop(); }

  /// Empty URLs: there is no such page.
  void Ready(const std::string& metrics_url, const std::string& page_url);
  /// Reports every half second from now on. `breaker_state` gives "" where there is no breaker.
  void Start(SteadyTime start, std::function<std::string()> breaker_state);
  /// Ends the reports, with a last one.
  void Stop();
  void BreakerChanged(const BreakerTransition& transition);

 private:
  enum class Form { kNone, kTerminal, kJsonl };
  void Report(SteadyTime now);
  void Write(const v1::LoadEvent& event);

  const Form form_;
  const std::shared_ptr<const Recorder> recorder_;
  SteadyTime start_{};
  std::function<std::string()> breaker_state_;
  LoadCounts reported_;
  std::mutex write_mutex_;
  Interrupt stop_;
  std::thread thread_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_LOAD_CLIENT_PROGRESS_H_
