#include "recloser/core/utf8.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

// Unicode, table 3-7.
std::size_t Utf8SequenceLength(absl::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continues = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) { return byte(i) >= low && byte(i) <= high; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    return continues(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    return continues(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

std::string ToUtf8(absl::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return std::string(text);
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = Utf8SequenceLength(text);
    absl::StrAppend(&result, length > 0 ? text.substr(0, length) : "\xEF\xBF\xBD");
    text.remove_prefix(length > 0 ? length : 1);
  }
  return result;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
