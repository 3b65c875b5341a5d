#include "recloser/config/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr std::uint64_t kPiece = 64 << 10;

class OpenFile {
 public:
  /// Opened before it is judged: between a look at a path and its opening a pipe may take its place, and to open that would wait for a
  /// writer.
  explicit OpenFile(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (file_ >= 0) close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int get() const { return file_; }

 private:
  const int file_;
};

}  // namespace

absl::StatusOr<std::string> ReadRegularFile(const std::string& path, std::uint64_t max_bytes) {
  const OpenFile file(path);
  struct stat found {};
  if (file.get() < 0 || fstat(file.get(), &found) != 0) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  if (!S_ISREG(found.st_mode)) return absl::NotFoundError(absl::StrCat(path, ": is not a regular file"));
  const absl::Status too_large = absl::ResourceExhaustedError(absl::StrCat(path, ": is larger than ", max_bytes, " bytes"));
  const auto size = static_cast<std::uint64_t>(found.st_size);
  if (size > max_bytes) return too_large;
  std::string bytes;
  bytes.reserve(size + kPiece);
  while (true) {  // to its end, which may have moved
    const std::size_t before = bytes.size();
    bytes.resize(before + kPiece);
    const ssize_t count = read(file.get(), bytes.data() + before, kPiece);
    bytes.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) return bytes;
    if (count < 0 && errno != EINTR) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
    if (bytes.size() > max_bytes) return too_large;
  }
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
