// Decision traces: damaged ones are refused, strange ones replayed without harm. The first byte says how the rest is meant: as the bytes of
// a trace, or as records, each with its length before it, which are put into a trace with checksums that are right.
#include <cstdint>
#include <string>

#include "fuzz_input.h"
#include "recloser/events/replay.h"
#include "trace_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace recloser;
  fuzz::FuzzInput input(data, size);
  std::string trace;
  if (input.Byte() == 'r') {
    trace = events_internal::TraceBeginning(events_internal::TraceEncoding::kBinary);
    while (!input.empty()) trace += events_internal::Frame(input.Bytes(static_cast<std::size_t>(input.Byte())));
  } else {
    trace = std::string(input.Rest());
  }
  const absl::StatusOr<Replayed> replayed = ReplayTrace(trace);
  if (!replayed.ok()) {
    FUZZ_CHECK(!replayed.status().message().empty());
    FUZZ_CHECK(absl::IsDataLoss(replayed.status()) || absl::IsUnimplemented(replayed.status()) || absl::IsNotFound(replayed.status()) ||
               absl::IsResourceExhausted(replayed.status()));
    return 0;
  }
  FUZZ_CHECK(!ReplayedToJson(*replayed).empty());
  for (const ReplayedBreaker& breaker : replayed->breakers) {
    for (const ReplayedTransition& transition : breaker.transitions) {
      FUZZ_CHECK(transition.at >= Duration::zero() && transition.record <= replayed->records);
    }
  }
  return 0;
}
