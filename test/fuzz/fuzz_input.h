// A fuzzer's bytes as choices. When they are used up every choice is the first one, so each input is a finite story.
#ifndef RECLOSER_TEST_FUZZ_FUZZ_INPUT_H_
#define RECLOSER_TEST_FUZZ_FUZZ_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/string_view.h"

namespace recloser::fuzz {

/// Ends the process, as libFuzzer wants it, when `holds` is false.
inline void Check(bool holds, const char* what, int line) {
  if (holds) return;
  std::fprintf(stderr, "line %d: does not hold: %s\n", line, what);
  std::abort();
}
#define FUZZ_CHECK(condition) ::recloser::fuzz::Check((condition), #condition, __LINE__)

class FuzzInput {
 public:
  FuzzInput(const std::uint8_t* data, std::size_t size) : left_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return left_.empty(); }
  int Byte() {
    if (left_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(left_[0]);
    left_.remove_prefix(1);
    return byte;
  }
  /// From 0 to below `choices`, which is at most 256.
  int Pick(int choices) { return Byte() % choices; }
  bool Flip() { return (Byte() & 1) != 0; }
  /// 64 bits; small numbers as likely as large ones.
  std::int64_t Number() {
    std::uint64_t number = 0;
    for (int bytes = Pick(9); bytes > 0; --bytes) number = number << 8 | static_cast<std::uint64_t>(Byte());
    return static_cast<std::int64_t>(number);
  }
  std::string Bytes(std::size_t count) {
    const std::string bytes(left_.substr(0, count));
    left_.remove_prefix(bytes.size());
    return bytes;
  }
  absl::string_view Rest() { return left_; }

 private:
  absl::string_view left_;
};

}  // namespace recloser::fuzz

#endif  // RECLOSER_TEST_FUZZ_FUZZ_INPUT_H_
