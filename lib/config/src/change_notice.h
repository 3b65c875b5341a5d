// Waiting for something to happen to a file: inotify, and a way to end the wait.
#ifndef RECLOSER_CONFIG_SRC_CHANGE_NOTICE_H_
#define RECLOSER_CONFIG_SRC_CHANGE_NOTICE_H_

#include <set>
#include <string>

#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// Notices are about the folders that hold the file and what it links to, so there may be more of them than changes of the file.
/// Thread safety: `Stop` from any thread, all else from one.
class ChangeNotice {
 public:
  /// Without `notices` every wait lasts its time.
  ChangeNotice(std::string path, bool notices);
  ~ChangeNotice();
  ChangeNotice(const ChangeNotice&) = delete;
  ChangeNotice& operator=(const ChangeNotice&) = delete;

  /// False when the system gave no file descriptor to wait on.
  bool ok() const { return stop_ >= 0; }

  /// Forgets the notices so far and watches the folders as they are now. Read the file after it: no change gets lost.
  void Refresh();

  /// Waits for a notice. False: `Stop` was called.
  bool Wait(Duration longest) { return Poll(longest, true); }
  /// Waits for nothing.
  bool Pause(Duration length) { return Poll(length, false); }

  /// Ends this wait and all later ones.
  void Stop();

 private:
  bool Poll(Duration longest, bool notices);

  const std::string path_;
  const int stop_;     // an eventfd
  const int inotify_;  // -1: there are no notices
  std::set<int> watched_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CONFIG_SRC_CHANGE_NOTICE_H_
