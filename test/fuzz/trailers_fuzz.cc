// What a server may put into trailers: pushback, and the marks of a rejection.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "call_metadata.h"
#include "fuzz_input.h"
#include "recloser/core/outcome.h"
#include "recloser/rejection.h"

namespace {

/// gRFC A6 read once more: a decimal number of at most 2^31 - 1 milliseconds; what is longer than five minutes is five minutes.
recloser::Pushback Expected(const std::string& value) {
  recloser::Pushback stop;
  stop.kind = recloser::Pushback::Kind::kStop;
  if (value.empty() || value.find_first_not_of("0123456789") != std::string::npos) return stop;
  const std::size_t first = value.find_first_not_of('0');
  const std::string digits = first == std::string::npos ? "0" : value.substr(first);
  if (digits.size() > 10 || std::stoll(digits) > INT32_MAX) return stop;
  recloser::Pushback delay;
  delay.kind = recloser::Pushback::Kind::kDelay;
  delay.delay = std::chrono::milliseconds(std::min(std::stoll(digits), 300'000LL));
  return delay;
}

bool Equal(const recloser::Pushback& a, const recloser::Pushback& b) { return a.kind == b.kind && a.delay == b.delay; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace recloser;
  fuzz::FuzzInput input(data, size);
  // Kept apart, as they are on the wire.
  std::vector<std::pair<std::string, std::string>> entries;
  int pushbacks = 0;
  bool rejected = false;
  while (!input.empty() && entries.size() < 8) {
    constexpr const char* kKeys[] = {kPushbackKey, kRejectedByTrailer, kRetryAfterTrailer, "x"};
    const int key = input.Pick(4);
    std::string value = input.Bytes(static_cast<std::size_t>(input.Byte() % 16));
    if (key == 0) FUZZ_CHECK(Equal(ParsePushback(value), Expected(value)));
    pushbacks += key == 0 ? 1 : 0;
    rejected = rejected || key == 1;
    entries.emplace_back(kKeys[key], std::move(value));
  }
  ReceivedMetadata trailers;
  Refer(entries, trailers);
  AttemptResult result;
  ReadTrailers(trailers, result);
  FUZZ_CHECK(result.rejected_by_recloser == rejected);
  if (pushbacks == 0) FUZZ_CHECK(result.pushback.kind == Pushback::Kind::kNone);
  if (pushbacks == 1)
    FUZZ_CHECK(Equal(result.pushback, Expected(TrailersView(trailers).Find(kPushbackKey)->data() == nullptr
                                                   ? ""
                                                   : std::string(*TrailersView(trailers).Find(kPushbackKey)))));
  if (pushbacks > 1) FUZZ_CHECK(result.pushback.kind == Pushback::Kind::kStop);
  FUZZ_CHECK(Copy(trailers).size() == entries.size());
  return 0;
}
