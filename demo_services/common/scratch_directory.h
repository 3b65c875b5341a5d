// An empty directory that goes with its object, for files between processes.
//
// Thread safety: const after construction.
#ifndef RECLOSER_DEMO_SERVICES_COMMON_SCRATCH_DIRECTORY_H_
#define RECLOSER_DEMO_SERVICES_COMMON_SCRATCH_DIRECTORY_H_

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace recloser::demo {

class ScratchDirectory {
 public:
  /// `name`: the beginning of the directory's name.
  explicit ScratchDirectory(const std::string& name) {
    std::string path = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
    if (mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  /// Empty when it could not be made.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_COMMON_SCRATCH_DIRECTORY_H_
