#include "output_file.h"

#include <cstdio>
#include <utility>

namespace recloser::tools {

OutputFile::OutputFile(const char* flag, std::string path) : flag_(flag), path_(std::move(path)) {}

bool OutputFile::Open() {
  if (!wanted()) return true;
  file_.open(path_, std::ios::binary);
  return file_.is_open() || Failed();
}

bool OutputFile::Write(const std::string& text) {
  file_ << text;
  file_.close();  // a full disk may show only now
  return file_.good() || Failed();
}

bool OutputFile::Failed() const {
  std::fprintf(stderr, "recloser: %s %s: cannot be written\n", flag_, path_.c_str());
  return false;
}

}  // namespace recloser::tools
