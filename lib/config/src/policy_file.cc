#include "recloser/config/policy_file.h"

#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "blocked_signals.h"
#include "change_notice.h"
#include "recloser/core/validation.h"
#include "text_file.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr char kKind[] = "policy file";

/// What a look at the file found: its text, or why there is none.
using Look = absl::StatusOr<TextFile>;

absl::StatusOr<PolicySet> SetOf(const Look& look, const std::string& path, const PolicyParts& parts) {
  if (!look.ok()) return look.status();
  absl::StatusOr<PolicySet> set = ParsePolicies(look->text, look->format, parts);
  if (!set.ok()) return WithPath(path, set.status());
  return set;
}

}  // namespace

Time SteadyNow() { return FromSteadyClock(std::chrono::steady_clock::now()); }

absl::Status PolicyFileOptions::Validate(absl::string_view path) const {
  Validator v(path);
  v.InRange("settle", settle, Duration::zero(), std::chrono::seconds(10));
  v.InRange("poll_interval", poll_interval, std::chrono::milliseconds(1), std::chrono::hours(1));
  v.Require(clock != nullptr, "clock", "null", "must tell the time");
  return v.status();
}

/// All that the thread needs.
class PolicyFile::Watch {
 public:
  Watch(std::string path, PolicyFileOptions options)
      : path_(std::move(path)), options_(std::move(options)), notice_(path_, options_.notices) {}

  /// The first look.
  absl::Status Begin() {
    if (!notice_.ok()) return absl::ResourceExhaustedError(absl::StrCat(path_, ": cannot be watched: no file descriptor"));
    latest_ = ReadTextFile(path_, kKind);
    absl::StatusOr<PolicySet> set = SetOf(latest_, path_, options_.parts);
    if (!set.ok()) return set.status();
    source_ = PolicySource::Create(*std::move(set), OriginOf(latest_));
    applied_ = judged_ = latest_;
    return absl::OkStatus();
  }

  void Run() {
    while (notice_.Wait(options_.poll_interval)) {
      do {
        if (!notice_.Pause(options_.settle)) return;
        notice_.Refresh();
      } while (!IsSettled());
      if (latest_ != judged_) Judge();
    }
  }

  void Stop() { notice_.Stop(); }
  const std::shared_ptr<PolicySource>& source() const { return source_; }

 private:
  /// Of a good one.
  PolicyOrigin OriginOf(const Look& look) const { return {path_, PolicyHash(look->text)}; }

  /// The file is as it was at the look before.
  bool IsSettled() {
    Look look = ReadTextFile(path_, kKind);
    const bool settled = look == latest_;
    latest_ = std::move(look);
    return settled;
  }

  void Judge() {
    judged_ = latest_;
    if (judged_ == applied_) {  // good again; the same set, so that nothing changes
      Told(source_->Update(*source_->current(), OriginOf(applied_), options_.clock()));
      return;
    }
    absl::StatusOr<PolicySet> set = SetOf(judged_, path_, options_.parts);
    if (!set.ok()) {
      source_->Refused(set.status());
      Told(set.status());
    } else if (Told(source_->Update(*std::move(set), OriginOf(judged_), options_.clock()))) {
      applied_ = judged_;
    }
  }

  bool Told(const absl::Status& status) const {
    if (status.ok() || !options_.on_refused) return status.ok();
    try {
      options_.on_refused(status);
    } catch (...) {  // the application's own problem
    }
    return false;
  }

  const std::string path_;
  const PolicyFileOptions options_;
  ChangeNotice notice_;
  std::shared_ptr<PolicySource> source_;
  Look latest_;
  Look judged_;   // the latest that was applied or refused
  Look applied_;  // what is in force
};

absl::StatusOr<std::shared_ptr<PolicyFile>> PolicyFile::Open(std::string path, PolicyFileOptions options) {
  if (absl::Status status = options.Validate("options"); !status.ok()) return status;
  const auto watch = std::make_shared<Watch>(path, std::move(options));
  if (absl::Status status = watch->Begin(); !status.ok()) return status;
  const std::shared_ptr<PolicyFile> file(new PolicyFile(watch));
  const BlockedSignals blocked;
  try {
    file->thread_ = std::thread([watch] { watch->Run(); });
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(absl::StrCat(path, ": cannot be watched: no thread: ", error.what()));
  }
  return file;
}

PolicyFile::PolicyFile(std::shared_ptr<Watch> watch) : watch_(std::move(watch)) {}

PolicyFile::~PolicyFile() {
  watch_->Stop();
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

const std::shared_ptr<PolicySource>& PolicyFile::source() const { return watch_->source(); }

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
