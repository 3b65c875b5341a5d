#include "valid_text.h"

#include <algorithm>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {
namespace {

constexpr absl::string_view kCut = "...";

unsigned char At(absl::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

/// The length of the character that begins at `i`; 0 when none does. The table is Unicode's 3-7: no overlong forms, no surrogates, nothing
/// above U+10FFFF.
std::size_t CharacterLength(absl::string_view text, std::size_t i) {
  const unsigned char lead = At(text, i);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() - i < length) return 0;
  const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (At(text, i + 1) < low || At(text, i + 1) > high) return 0;
  for (std::size_t k = 2; k < length; ++k) {
    if (At(text, i + k) < 0x80 || At(text, i + k) > 0xbf) return 0;
  }
  return length;
}

}  // namespace

std::string ValidText(absl::string_view text, std::size_t max_bytes) {
  std::string valid;
  valid.reserve(std::min(text.size(), max_bytes));
  std::size_t fits = 0;  // the longest beginning to which `kCut` can be added
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = CharacterLength(text, i);
    if (valid.size() + std::max<std::size_t>(length, 1) > max_bytes) {
      valid.resize(fits);
      valid.append(kCut.data(), kCut.size());
      return valid;
    }
    if (length == 0) {
      valid += '?';
    } else {
      valid.append(text.data() + i, length);
    }
    i += std::max<std::size_t>(length, 1);
    if (valid.size() + kCut.size() <= max_bytes) fits = valid.size();
  }
  return valid;
}

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
