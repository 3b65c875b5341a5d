#include <cctype>
#include <regex>
#include <string>

#include "rules.h"

namespace recloser::layering {
namespace {

struct TextBan {
  std::string pattern;
  std::string why;
};

const std::vector<TextBan>& TextBans() {
  static const std::vector<TextBan> bans = {
      {"\t", "a tab"},
      {"\r", "a carriage return"},
      {" (?=\n|$)", "a space at the end of a line"},
      {"TO"
       "DO|FIX"
       "ME",
       "something left to do"},
  };
  return bans;
}

void CheckText(const SourceFile& file, std::vector<Breach>* breaches) {
  for (const TextBan& ban : TextBans()) {
    const std::regex pattern(ban.pattern);
    for (std::sregex_iterator it(file.text.begin(), file.text.end(), pattern), end; it != end; ++it) {
      breaches->push_back({file.path, LineOf(file.text, static_cast<std::size_t>(it->position())), ban.why});
    }
  }
  const std::size_t size = file.text.size();
  if (size > 0 && (file.text.back() != '\n' || (size > 1 && file.text[size - 2] == '\n'))) {
    breaches->push_back({file.path, LineOf(file.text, size), "must end with exactly one line break"});
  }
}

/// RECLOSER_CORE_TIME_H_ for .../include/recloser/core/time.h; empty for private headers.
std::string PublicGuard(const std::string& path) {
  const std::string marker = "/include/";
  const std::size_t include = path.find(marker);
  if (include == std::string::npos) return "";
  std::string guard;
  for (const char c : path.substr(include + marker.size())) {
    guard += std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : '_';
  }
  return guard + "_";
}

void CheckHeader(const SourceFile& file, std::vector<Breach>* breaches) {
  static const std::regex pattern(R"(^\s*#ifndef (\w+)\n#define (\w+)\n)");
  std::smatch match;
  if (!std::regex_search(file.code, match, pattern) || match.str(1) != match.str(2)) {
    breaches->push_back({file.path, 1, "no include guard before the first declaration"});
    return;
  }
  const std::string guard = PublicGuard(file.path);
  if (guard.empty()) return;
  if (match.str(1) != guard) breaches->push_back({file.path, 1, "include guard " + match.str(1) + "; it should be " + guard});
  if (file.text.rfind("//", 0) != 0) breaches->push_back({file.path, 1, "a public header begins with what it is for"});
}

/// The installed libraries declare what is public in the exported version namespace, the rest in the hidden one (recloser/core/export.h).
void CheckVersionNamespace(const SourceFile& file, std::vector<Breach>* breaches) {
  static const std::regex installed(R"(^(lib/(core|config|prometheus|page|events)|interceptors)/(include/)?.*\.(h|cc)$)");
  static const std::regex opening(R"(\nnamespace recloser \{\n(?:inline namespace (\w+) \{)?)");
  std::smatch path;
  if (!std::regex_match(file.path, path, installed)) return;
  const std::string wanted = path[3].matched ? "RECLOSER_API" : "RECLOSER_INTERNAL";
  for (std::sregex_iterator it(file.code.begin(), file.code.end(), opening), end; it != end; ++it) {
    if (it->str(1) == wanted) continue;
    breaches->push_back({file.path, LineOf(file.code, static_cast<std::size_t>(it->position()) + 1),
                         "needs `inline namespace " + wanted + " {` after this"});
  }
}

}  // namespace

std::vector<Breach> CheckHygiene(const std::vector<SourceFile>& files) {
  std::vector<Breach> breaches;
  for (const SourceFile& file : files) {
    CheckText(file, &breaches);
    if (file.IsHeader()) CheckHeader(file, &breaches);
    CheckVersionNamespace(file, &breaches);
  }
  return breaches;
}

}  // namespace recloser::layering
