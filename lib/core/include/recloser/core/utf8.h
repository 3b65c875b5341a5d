// Names come from whoever makes calls, and a gRPC method's name may be any bytes. Protobuf's strings, JSON and Prometheus want UTF-8.
//
//   label.value = ToUtf8(id.method);    // "Get\xFF" becomes "Get\uFFFD"
//
// Thread safety: pure functions.
#ifndef RECLOSER_CORE_UTF8_H_
#define RECLOSER_CORE_UTF8_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_API {

/// `text` with each byte that is not part of a well-formed sequence (RFC 3629) replaced by U+FFFD.
std::string ToUtf8(absl::string_view text);

/// How many bytes the well-formed sequence (RFC 3629) has that `text` begins with; 0 when it begins with none. `text`: not empty.
std::size_t Utf8SequenceLength(absl::string_view text);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_UTF8_H_
