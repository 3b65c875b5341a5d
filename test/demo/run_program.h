// Runs a program of ours to its end, for the tests.
#ifndef RECLOSER_TEST_DEMO_RUN_PROGRAM_H_
#define RECLOSER_TEST_DEMO_RUN_PROGRAM_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "demo_services/common/child.h"

namespace recloser::demo {

struct ProgramRun {
  std::string ended;  // Child::HowItEnded
  std::vector<std::string> lines;
  std::string error;
};

/// Pumps until the program has ended or 120 s have passed: then it is killed, which `ended` shows. `on_line` is told each line of stdout.
inline ProgramRun RunProgram(const std::vector<std::string>& arguments,
                             const std::function<void(Child&, const std::string&)>& on_line = nullptr) {
  ProgramRun run;
  Child* self = nullptr;
  auto child = Child::Start("program", arguments, [&](const std::string& line) {
    run.lines.push_back(line);
    if (on_line) on_line(*self, line);
  });
  if (!child.ok()) return {std::string(child.status().message()), {}, ""};
  self = child->get();
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (self->running() && std::chrono::steady_clock::now() < last) PumpUntil({self}, last);
  self->Kill();
  run.ended = self->HowItEnded();
  run.error = self->error_tail();
  return run;
}

}  // namespace recloser::demo

#endif  // RECLOSER_TEST_DEMO_RUN_PROGRAM_H_
