// A file that a flag asks for, opened before a long computation and written after it. Each failure is a line on stderr.
//
//   OutputFile json("--json", flags.json);
//   if (!json.Open()) return kExitBadFlags;
//   ...
//   if (json.wanted() && !json.Write(text)) exit_code = 1;
#ifndef RECLOSER_TOOLS_OUTPUT_FILE_H_
#define RECLOSER_TOOLS_OUTPUT_FILE_H_

#include <fstream>
#include <string>

namespace recloser::tools {

class OutputFile {
 public:
  /// An empty `path`: no file is wanted.
  OutputFile(const char* flag, std::string path);

  /// True without a path.
  bool Open();
  bool wanted() const { return !path_.empty(); }
  /// All there is to write, once. False when the system did not take all of it.
  bool Write(const std::string& text);

 private:
  bool Failed() const;

  const char* const flag_;
  const std::string path_;
  std::ofstream file_;
};

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_OUTPUT_FILE_H_
