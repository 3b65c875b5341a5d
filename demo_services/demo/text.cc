#include "demo_services/demo/text.h"

#include "absl/strings/str_cat.h"

namespace recloser::demo {

std::string Wrap(absl::string_view text, int indent) {
  std::string wrapped;
  std::size_t room = kColumns;
  while (text.size() > room) {
    std::size_t cut = text.rfind(' ', room);
    if (cut == absl::string_view::npos || cut == 0) cut = room;
    absl::StrAppend(&wrapped, text.substr(0, cut), "\n", std::string(static_cast<std::size_t>(indent), ' '));
    text.remove_prefix(text[cut] == ' ' ? cut + 1 : cut);
    room = static_cast<std::size_t>(kColumns - indent);
  }
  return absl::StrCat(wrapped, text, "\n");
}

}  // namespace recloser::demo
