#include "duplicate_keys.h"

#include <cctype>
#include <set>
#include <vector>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

/// The string that begins at the quote at `*i`; `*i` is then at the closing quote.
absl::string_view TakeString(absl::string_view json, std::size_t* i) {
  const char quote = json[*i];  // protobuf allows both kinds
  const std::size_t begin = ++*i;
  while (*i < json.size() && json[*i] != quote) *i += json[*i] == '\\' ? 2 : 1;
  return json.substr(begin, *i - begin);
}

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

/// The word that begins at `*i`, which is then at its last character. Protobuf allows keys without quotes.
absl::string_view TakeWord(absl::string_view json, std::size_t* i) {
  const std::size_t begin = *i;
  while (*i + 1 < json.size() && IsWord(json[*i + 1])) ++*i;
  return json.substr(begin, *i + 1 - begin);
}

bool IsKey(absl::string_view json, std::size_t after) {
  const std::size_t next = json.find_first_not_of(" \t\r\n", after);
  return next != absl::string_view::npos && json[next] == ':';
}

/// Protobuf takes a field's name in either style: max_attempts or maxAttempts.
std::string InCamelCase(absl::string_view key) {
  std::string camel;
  bool upper = false;
  for (const char c : key) {
    if (c != '_') camel += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return camel;
}

}  // namespace

std::optional<std::string> FindDuplicateKey(absl::string_view json) {
  std::vector<std::set<std::string>> open;  // the keys of each object around
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '{' || c == '[') {
      open.emplace_back();
    } else if ((c == '}' || c == ']') && !open.empty()) {
      open.pop_back();
    } else if (c == '"' || c == '\'' || IsWord(c)) {
      const absl::string_view text = IsWord(c) ? TakeWord(json, &i) : TakeString(json, &i);
      if (!open.empty() && IsKey(json, i + 1) && !open.back().insert(InCamelCase(text)).second) return std::string(text);
    }
  }
  return std::nullopt;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
