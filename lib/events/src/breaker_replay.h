// One breaker of a trace, replayed.
#ifndef RECLOSER_EVENTS_SRC_BREAKER_REPLAY_H_
#define RECLOSER_EVENTS_SRC_BREAKER_REPLAY_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "recloser/events/replay.h"
#include "recloser/events/v1/trace.pb.h"
#include "traced_breaker.h"
#include "user_scores.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {

namespace v1 = events::v1;

/// Feeds a breaker what was recorded of it, through the same `TracedBreaker` that recorded it, and compares what is recorded now. Thread
/// safety: none.
class BreakerReplay {
 public:
  /// `made`: the record of its making. INVALID_ARGUMENT when what it holds is not allowed.
  static absl::StatusOr<std::unique_ptr<BreakerReplay>> Create(const v1::TraceRecord& made);

  /// The next record of this breaker. After a difference nothing more happens. INVALID_ARGUMENT when what it holds is not allowed.
  absl::Status Feed(const v1::TraceRecord& record, std::uint32_t number, std::size_t offset);

  const ReplayedBreaker& result() const { return result_; }

  /// What its window takes, in bytes.
  std::uint64_t window_bytes() const { return window_bytes_; }

 private:
  class LastRecord;

  explicit BreakerReplay(const v1::BreakerMade& made);
  absl::Status Drive(const v1::TraceRecord& record);
  void Count(const v1::TraceRecord& record);
  void Compare(const v1::TraceRecord& recorded, std::uint32_t number, std::size_t offset);

  ReplayedBreaker result_;
  std::int64_t made_ns_ = 0;
  std::uint64_t window_bytes_ = 0;
  const std::shared_ptr<RecordedMetric::Scores> scores_ = std::make_shared<RecordedMetric::Scores>();
  const std::shared_ptr<LastRecord> last_;
  std::unique_ptr<TracedBreaker> breaker_;  // null: it can't be replayed
};

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_EVENTS_SRC_BREAKER_REPLAY_H_
