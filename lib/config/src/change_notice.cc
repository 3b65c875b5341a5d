#include "change_notice.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

namespace fs = std::filesystem;

// Not IN_MODIFY: a file that is being written is of no interest yet. IN_CREATE is for links, which nobody opens.
constexpr std::uint32_t kInteresting =
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

std::string FolderOf(const fs::path& path) { return path.has_parent_path() ? path.parent_path().string() : "."; }

int Milliseconds(Duration d) {
  constexpr Duration kLongest = std::chrono::hours(24);
  const auto rounded_up = std::chrono::ceil<std::chrono::milliseconds>(std::clamp(d, Duration::zero(), kLongest));
  return static_cast<int>(rounded_up.count());
}

}  // namespace

ChangeNotice::ChangeNotice(std::string path, bool notices)
    : path_(std::move(path)),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      inotify_(notices ? inotify_init1(IN_CLOEXEC | IN_NONBLOCK) : -1) {
  Refresh();
}

ChangeNotice::~ChangeNotice() {
  for (const int fd : {stop_, inotify_}) {
    if (fd >= 0) close(fd);
  }
}

void ChangeNotice::Refresh() {
  if (inotify_ < 0) return;
  std::array<char, 4096> events;
  while (read(inotify_, events.data(), events.size()) > 0) {
  }
  std::error_code error;
  std::set<int> now;
  for (const fs::path& path : {fs::path(path_), fs::canonical(path_, error)}) {
    if (path.empty()) continue;  // a link to nothing
    // To watch again what is watched already changes nothing; a folder made anew is another one.
    const int watch = inotify_add_watch(inotify_, FolderOf(path).c_str(), kInteresting);
    if (watch >= 0) now.insert(watch);
  }
  for (const int watch : watched_) {
    if (now.count(watch) == 0) inotify_rm_watch(inotify_, watch);
  }
  watched_ = std::move(now);
}

bool ChangeNotice::Poll(Duration longest, bool notices) {
  std::array<pollfd, 2> fds = {{{stop_, POLLIN, 0}, {notices ? inotify_ : -1, POLLIN, 0}}};  // poll skips negative ones
  poll(fds.data(), fds.size(), Milliseconds(longest));
  return fds[0].revents == 0;
}

void ChangeNotice::Stop() {
  const std::uint64_t one = 1;
  // It could fail by overflow only, when it is readable anyhow.
  [[maybe_unused]] const ssize_t written = write(stop_, &one, sizeof one);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
