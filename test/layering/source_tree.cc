#include "source_tree.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <utility>

namespace recloser::layering {
namespace fs = std::filesystem;
namespace {

bool IsText(const fs::path& file) {
  static const std::set<std::string> extensions = {".h", ".cc", ".proto", ".cmake", ".txt", ".md", ".json", ".sh", ".py", ".supp", ".yml"};
  static const std::set<std::string> names = {"dev", "LICENSE", ".clang-format", ".clang-tidy", ".gitignore"};
  return extensions.count(file.extension().string()) > 0 || names.count(file.filename().string()) > 0;
}

std::vector<Include> FindIncludes(const std::string& text) {
  static const std::regex pattern(R"(^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"])", std::regex::multiline);
  const std::string code = BlankComments(text, /*keep_literals=*/true);
  std::vector<Include> includes;
  for (std::sregex_iterator it(code.begin(), code.end(), pattern), end; it != end; ++it) {
    includes.push_back({LineOf(code, static_cast<std::size_t>(it->position(1))), it->str(2), it->str(1) == "<"});
  }
  return includes;
}

/// The end of the string or character literal that begins at `begin`, one past its closing quote.
std::size_t EndOfLiteral(const std::string& text, std::size_t begin) {
  if (text[begin] == '"' && begin > 0 && text[begin - 1] == 'R') {
    const std::size_t open = text.find('(', begin);
    if (open == std::string::npos) return text.size();
    const std::string close = ")" + text.substr(begin + 1, open - begin - 1) + "\"";
    const std::size_t end = text.find(close, open);
    return end == std::string::npos ? text.size() : end + close.size();
  }
  for (std::size_t i = begin + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[begin]) {
      return i + 1;
    }
  }
  return std::min(text.find('\n', begin), text.size());
}

/// A quote that separates digits, as in 1'000.
bool IsDigitSeparator(const std::string& text, std::size_t i) {
  return text[i] == '\'' && i > 0 && i + 1 < text.size() && std::isxdigit(static_cast<unsigned char>(text[i - 1])) != 0 &&
         std::isxdigit(static_cast<unsigned char>(text[i + 1])) != 0;
}

void Blank(std::string* text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if ((*text)[i] != '\n') (*text)[i] = ' ';
  }
}

}  // namespace

bool SourceFile::IsHeader() const { return fs::path(path).extension() == ".h"; }
bool SourceFile::IsCpp() const { return IsHeader() || fs::path(path).extension() == ".cc"; }

std::ostream& operator<<(std::ostream& out, const Breach& breach) {
  return out << breach.file << ':' << breach.line << ": " << breach.what;
}

std::vector<SourceFile> ReadTree(const fs::path& root) {
  std::vector<SourceFile> files;
  for (fs::recursive_directory_iterator it(root), end; it != end; ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory() && (name.front() == '.' || name == "build")) it.disable_recursion_pending();
    if (!it->is_regular_file() || !IsText(it->path())) continue;
    std::ifstream in(it->path(), std::ios::binary);
    SourceFile file;
    file.path = fs::relative(it->path(), root).generic_string();
    file.text.assign(std::istreambuf_iterator<char>(in), {});
    if (file.IsCpp()) {
      file.code = BlankComments(file.text, /*keep_literals=*/false);
      file.includes = FindIncludes(file.text);
    }
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::string BlankComments(const std::string& text, bool keep_literals) {
  std::string code = text;
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t begin = i;
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
      Blank(&code, begin, i);
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", i + 2);
      i = close == std::string::npos ? text.size() : close + 2;
      Blank(&code, begin, i);
    } else if (text[i] == '"' || (text[i] == '\'' && !IsDigitSeparator(text, i))) {
      i = EndOfLiteral(text, i);
      if (!keep_literals) Blank(&code, begin, i);
    } else {
      ++i;
    }
  }
  return code;
}

int LineOf(const std::string& text, std::size_t offset) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

}  // namespace recloser::layering
