// The project's own files, read for the rules that no compiler checks.
#ifndef RECLOSER_TEST_LAYERING_SOURCE_TREE_H_
#define RECLOSER_TEST_LAYERING_SOURCE_TREE_H_

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace recloser::layering {

struct Include {
  int line = 0;
  std::string path;    // what stands between the quotes or brackets
  bool angle = false;  // <path>
};

struct SourceFile {
  std::string path;  // relative to the tree, with '/'
  std::string text;
  std::string code;  // text with comments and literals blanked, the same lines
  std::vector<Include> includes;

  bool IsHeader() const;
  bool IsCpp() const;  // a header or a .cc file
};

/// One breach of a rule.
struct Breach {
  std::string file;
  int line = 0;
  std::string what;
};
std::ostream& operator<<(std::ostream& out, const Breach& breach);

/// All text files below `root` but hidden folders, and `build`.
std::vector<SourceFile> ReadTree(const std::filesystem::path& root);

/// `text` with comments blanked, and literals too unless they are to be kept. Line breaks stay.
std::string BlankComments(const std::string& text, bool keep_literals);

/// The line, counted from 1, of `offset` in `text`.
int LineOf(const std::string& text, std::size_t offset);

}  // namespace recloser::layering

#endif  // RECLOSER_TEST_LAYERING_SOURCE_TREE_H_
