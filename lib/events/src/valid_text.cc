#include "valid_text.h"

#include <algorithm>

#include "recloser/core/utf8.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {
namespace {

constexpr absl::string_view kCut = "...";

}  // namespace

std::string ValidText(absl::string_view text, std::size_t max_bytes) {
  std::string valid;
  valid.reserve(std::min(text.size(), max_bytes));
  std::size_t fits = 0;  // the longest beginning to which `kCut` can be added
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = Utf8SequenceLength(text.substr(i));
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
