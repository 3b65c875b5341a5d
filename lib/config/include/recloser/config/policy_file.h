// A policy file that is watched: channels follow it while they run.
//
//   absl::StatusOr<std::shared_ptr<PolicyFile>> file = PolicyFile::Open("/etc/recloser/policies.json");
//   if (!file.ok()) return file.status();                                  // at the start there must be a good file
//   auto channel = recloser::CreateChannel(target, credentials, (*file)->source());
//
// A good change is applied whole (policy_source.h says what is kept). A bad one is refused whole and told once; the policies before it stay
// in force until the file is good again. The file may be written in place, replaced by renaming, deleted and made anew, or be a symbolic
// link that is swapped, as Kubernetes does with the volumes of its ConfigMaps (not with `subPath` mounts, which never change). A change
// counts when the content has stayed the same for `settle`, so a half-written file is not seen.
//
// Linux: the kernel's notices (inotify) tell of changes in the file's folder and in that of the file it links to. `poll_interval` is for
// file systems that give none, and for processes that may have no more of them.
//
// Thread safety: any member from any thread. There is one thread for each open file; it ends with the last handle, which waits for it
// unless it is released by that thread itself, in `on_refused`. The source lives on.
#ifndef RECLOSER_CONFIG_POLICY_FILE_H_
#define RECLOSER_CONFIG_POLICY_FILE_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "recloser/config/policies.h"
#include "recloser/core/export.h"
#include "recloser/core/policy_source.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

/// The steady clock's time as the core counts it.
Time SteadyNow();

struct PolicyFileOptions {
  /// What the file may name.
  PolicyParts parts;
  /// Range: 0 to 10 s. Default 50 ms.
  Duration settle = std::chrono::milliseconds(50);
  /// Range: 1 ms to 1 h. Default 5 s.
  Duration poll_interval = std::chrono::seconds(5);
  /// Ask the kernel for notices. Default true.
  bool notices = true;
  /// Told once of each bad change, with the path, the field, its value and what is allowed; for the log. Runs on the file's thread; what it
  /// throws is swallowed. `source()->status()` has the same, and counts. May be empty.
  std::function<void(const absl::Status&)> on_refused;
  /// The time of updates. Not null.
  Time (*clock)() = &SteadyNow;

  absl::Status Validate(absl::string_view path) const;
};

class PolicyFile {
 public:
  /// Reads the file and begins to watch it. The errors of `ReadPolicyFile`; INVALID_ARGUMENT for bad options; RESOURCE_EXHAUSTED when the
  /// system gives no thread or no file descriptor.
  static absl::StatusOr<std::shared_ptr<PolicyFile>> Open(std::string path, PolicyFileOptions options = {});

  ~PolicyFile();
  PolicyFile(const PolicyFile&) = delete;
  PolicyFile& operator=(const PolicyFile&) = delete;

  /// Its origin is the path and the `PolicyHash` of the content. Never null.
  const std::shared_ptr<PolicySource>& source() const;

 private:
  class Watch;
  explicit PolicyFile(std::shared_ptr<Watch> watch);

  const std::shared_ptr<Watch> watch_;  // shared with the thread
  std::thread thread_;
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CONFIG_POLICY_FILE_H_
