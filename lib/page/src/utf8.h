// Names come from whoever makes calls; protobuf's strings and JSON must be UTF-8.
#ifndef RECLOSER_PAGE_SRC_UTF8_H_
#define RECLOSER_PAGE_SRC_UTF8_H_

#include <string>

#include "absl/strings/string_view.h"

namespace recloser::page {

/// `text` with each byte that is not part of a well-formed sequence (RFC 3629) replaced by U+FFFD.
std::string ToUtf8(absl::string_view text);

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_UTF8_H_
