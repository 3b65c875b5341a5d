// Text that protobuf's strings and JSON can hold. Thread safety: pure.
#ifndef RECLOSER_EVENTS_SRC_VALID_TEXT_H_
#define RECLOSER_EVENTS_SRC_VALID_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {

/// `text` as valid UTF-8 of at most `max_bytes` (at least 4): each byte that is none becomes '?', and what is too long ends in "...",
/// without a character cut in two.
std::string ValidText(absl::string_view text, std::size_t max_bytes);

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_EVENTS_SRC_VALID_TEXT_H_
