// The page's own files, as they are in web/.
#ifndef RECLOSER_PAGE_SRC_ASSETS_H_
#define RECLOSER_PAGE_SRC_ASSETS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace recloser::page {

struct Asset {
  absl::string_view path;  // "/index.html"
  absl::string_view content_type;
  absl::string_view body;
};

/// In assets.cc, which embed.cmake writes.
absl::Span<const Asset> Assets();

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_ASSETS_H_
