// Ends a program on SIGINT or SIGTERM, without code in signal handlers.
//
//   int main() {
//     BlockStopSignals();      // first of all, before any thread exists: threads inherit the mask
//     ...
//     WaitForStopSignal();
//   }
#ifndef RECLOSER_DEMO_SERVICES_COMMON_SIGNALS_H_
#define RECLOSER_DEMO_SERVICES_COMMON_SIGNALS_H_

#include <chrono>

namespace recloser::demo {

/// Holds SIGINT and SIGTERM back for `WaitForStopSignal`, also when the parent had them ignored; ignores SIGPIPE, so that a reader of our
/// output that goes away doesn't end us. Call it before any thread is started.
void BlockStopSignals();

/// Blocks until SIGINT or SIGTERM has come, since the program's start; returns its number.
int WaitForStopSignal();

/// The same, for at most `timeout`; 0 when none came.
int WaitForStopSignal(std::chrono::nanoseconds timeout);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_COMMON_SIGNALS_H_
