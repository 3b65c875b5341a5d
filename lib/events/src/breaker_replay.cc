#include "breaker_replay.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "breaker_config.h"
#include "recloser/core/random.h"
#include "step_message.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {
namespace {

// The mathematics of two compilers differ in the last bits only; times of a few nanoseconds come of that.
constexpr double kFraction = 1e-9;
constexpr double kMargin = 1e-8;

std::string KindOf(const config::v1::Breaker& breaker) {
  switch (breaker.kind_case()) {
    case config::v1::Breaker::kCustom:
      return breaker.custom();
    case config::v1::Breaker::kStandard:
      return "standard";
    default:
      return "adaptive";
  }
}

/// About; only the standard breaker's window depends on its options.
std::uint64_t WindowBytes(const BreakerOptions& options) {
  const auto* const standard = std::get_if<StandardBreakerOptions>(&options.kind);
  if (standard == nullptr) return 0;
  if (standard->window == StandardBreakerOptions::Window::kCount) return static_cast<std::uint64_t>(standard->window_calls);
  constexpr std::uint64_t kBucket = 24;
  return kBucket * static_cast<std::uint64_t>(std::max<std::int64_t>(standard->window_time / std::chrono::seconds(1), 10));
}

Permit PermitOf(std::uint64_t id) {
  Permit permit;
  permit.id = id;
  return permit;
}

/// "modified: a: 1 -> 2; added: b: 3", empty when they are the same.
std::string Difference(const v1::TraceRecord& recorded, const v1::TraceRecord& replayed) {
  google::protobuf::util::MessageDifferencer differencer;
  google::protobuf::util::DefaultFieldComparator comparator;
  comparator.set_float_comparison(google::protobuf::util::DefaultFieldComparator::APPROXIMATE);
  comparator.set_treat_nan_as_equal(true);
  comparator.SetDefaultFractionAndMargin(kFraction, kMargin);
  differencer.set_field_comparator(&comparator);
  std::string report;
  differencer.ReportDifferencesToString(&report);
  if (differencer.Compare(recorded, replayed)) return "";
  return absl::StrJoin(absl::StrSplit(report, '\n', absl::SkipWhitespace()), "; ");
}

}  // namespace

class BreakerReplay::LastRecord final : public TraceSink {
 public:
  bool active() const override { return true; }
  void Write(const v1::TraceRecord& record) override { record_ = record; }
  const v1::TraceRecord& record() const { return record_; }

 private:
  v1::TraceRecord record_;
};

absl::StatusOr<std::unique_ptr<BreakerReplay>> BreakerReplay::Create(const v1::TraceRecord& made) {
  std::unique_ptr<BreakerReplay> replay(new BreakerReplay(made.made()));
  replay->made_ns_ = made.now_ns();
  if (!replay->result_.checked) return replay;
  const absl::StatusOr<BreakerOptions> options = OptionsFromMessage(made.made().config(), replay->scores_);
  if (!options.ok()) return options.status();
  std::array<std::uint64_t, 4> random;
  if (made.made().random_size() != static_cast<int>(random.size())) return absl::InvalidArgumentError("made.random: must be four numbers");
  std::copy(made.made().random().begin(), made.made().random().end(), random.begin());
  replay->window_bytes_ = WindowBytes(*options);
  replay->breaker_ = std::make_unique<TracedBreaker>(made.breaker(), replay->result_.id, *options, Time(Duration(made.now_ns())),
                                                     Random(random), replay->last_);
  return replay;
}

BreakerReplay::BreakerReplay(const v1::BreakerMade& made) : last_(std::make_shared<LastRecord>()) {
  result_.id = {made.target(), made.service(), made.method()};
  result_.kind = KindOf(made.config().breaker());
  result_.checked = made.config().breaker().kind_case() != config::v1::Breaker::kCustom;
}

absl::Status BreakerReplay::Feed(const v1::TraceRecord& record, std::uint32_t number, std::size_t offset) {
  if (result_.difference.has_value()) return absl::OkStatus();
  Count(record);
  const Duration at = Elapsed(Time(Duration(made_ns_)), Time(Duration(record.now_ns())));
  if (breaker_ == nullptr) {
    for (const v1::Transition& t : record.transitions()) {
      result_.transitions.push_back({number, at, absl::StrCat(t.from(), " -> ", t.to(), " by ", t.reason())});
    }
    return absl::OkStatus();
  }
  scores_->clear();
  for (const v1::UserScore& score : record.scores()) {
    scores_->push_back(score.has_score() ? std::optional<double>(score.score()) : std::nullopt);
  }
  if (absl::Status status = Drive(record); !status.ok()) return status;
  for (const BreakerTransition& t : breaker_->TakeTransitions()) result_.transitions.push_back({number, at, Explain(t)});
  Compare(record, number, offset);
  return absl::OkStatus();
}

absl::Status BreakerReplay::Drive(const v1::TraceRecord& record) {
  const Time now(Duration(record.now_ns()));
  switch (record.step_case()) {
    case v1::TraceRecord::kTryAcquire:
      breaker_->TryAcquire(now, InfoFromMessage(record.try_acquire()));
      break;
    case v1::TraceRecord::kRecord:
      breaker_->Record(PermitOf(record.record().permit()), now, ResultFromMessage(record.record()));
      break;
    case v1::TraceRecord::kDrop:
      breaker_->Drop(PermitOf(record.drop().permit()), now);
      break;
    case v1::TraceRecord::kStreamStarted:
      breaker_->StreamStarted(PermitOf(record.stream_started().permit()), now);
      break;
    case v1::TraceRecord::kFreshEvidence:
      breaker_->FreshEvidence(now);
      break;
    case v1::TraceRecord::kForceOpen:
      breaker_->ForceOpen(now);
      break;
    case v1::TraceRecord::kDisable:
      breaker_->Disable(now);
      break;
    case v1::TraceRecord::kReset:
      breaker_->Reset(now);
      break;
    case v1::TraceRecord::kReconfigure: {
      const absl::StatusOr<BreakerOptions> options = OptionsFromMessage(record.reconfigure().config(), scores_);
      if (!options.ok()) return options.status();
      if (breaker_->Reconfigure(*options, now)) window_bytes_ = WindowBytes(*options);
      break;
    }
    case v1::TraceRecord::kTakeOver: {
      const absl::StatusOr<BreakerSnapshot> before = SnapshotFromMessage(record.take_over());
      if (!before.ok()) return before.status();
      breaker_->TakeOver(*before, now);
      break;
    }
    default:
      // Of its making, which was the constructor's.
      break;
  }
  return absl::OkStatus();
}

void BreakerReplay::Count(const v1::TraceRecord& record) {
  if (record.has_try_acquire()) ++(record.try_acquire().has_refusal() ? result_.rejected : result_.admitted);
  if (record.has_drop()) ++result_.dropped;
  if (!record.has_record()) return;
  switch (record.record().outcome()) {
    case v1::SUCCESS:
      ++result_.successes;
      break;
    case v1::FAILURE:
      ++result_.failures;
      break;
    default:
      ++result_.ignored;
      break;
  }
}

void BreakerReplay::Compare(const v1::TraceRecord& recorded, std::uint32_t number, std::size_t offset) {
  std::string what = Difference(recorded, last_->record());
  if (!what.empty()) result_.difference = ReplayDifference{number, offset, std::move(what)};
}

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
