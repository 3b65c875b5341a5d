#include "duplicate_keys.h"

#include <set>
#include <vector>

namespace recloser {
namespace {

/// The string that begins at the quote at `*i`; `*i` is then at the closing quote.
absl::string_view TakeString(absl::string_view json, std::size_t* i) {
  const char quote = json[*i];  // protobuf allows both kinds
  const std::size_t begin = ++*i;
  while (*i < json.size() && json[*i] != quote) *i += json[*i] == '\\' ? 2 : 1;
  return json.substr(begin, *i - begin);
}

bool IsKey(absl::string_view json, std::size_t after) {
  const std::size_t next = json.find_first_not_of(" \t\r\n", after);
  return next != absl::string_view::npos && json[next] == ':';
}

}  // namespace

std::optional<std::string> FindDuplicateKey(absl::string_view json) {
  std::vector<std::set<absl::string_view>> open;  // the keys of each object around
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '{' || c == '[') {
      open.emplace_back();
    } else if ((c == '}' || c == ']') && !open.empty()) {
      open.pop_back();
    } else if (c == '"' || c == '\'') {
      const absl::string_view text = TakeString(json, &i);
      if (!open.empty() && IsKey(json, i + 1) && !open.back().insert(text).second) return std::string(text);
    }
  }
  return std::nullopt;
}

}  // namespace recloser
