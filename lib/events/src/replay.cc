#include "recloser/events/replay.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "breaker_replay.h"
#include "json.h"
#include "recloser/events/v1/replay.pb.h"
#include "trace_format.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

namespace v1 = events::v1;
using events_internal::BreakerReplay;
using events_internal::JsonFields;
using events_internal::ToJson;
using events_internal::TraceReader;

// A few bytes of a trace make a breaker, or a window of 100,000 calls. More than these no process has, and memory is bounded.
constexpr std::size_t kMaxBreakers = 10'000;
constexpr std::uint64_t kMaxWindowBytes = 100'000'000;

/// All breakers of a trace, by their numbers.
class TraceReplay {
 public:
  TraceReplay(absl::string_view trace, const ReplayOptions& options) : reader_(trace), options_(options) {}

  absl::StatusOr<Replayed> Run() {
    v1::TraceRecord record;
    while (true) {
      const absl::StatusOr<bool> more = reader_.Next(&record);
      if (!more.ok()) return more.status();
      if (!*more) break;
      if (absl::Status status = Feed(record); !status.ok()) return status;
    }
    Replayed replayed;
    replayed.records = reader_.number();
    replayed.full = full_;
    for (const std::uint32_t number : order_) replayed.breakers.push_back(breakers_.at(number)->result());
    if (replayed.breakers.empty() && !options_.breaker.empty()) {
      return absl::NotFoundError(absl::StrCat("no breaker \"", options_.breaker, "\" in this trace"));
    }
    return replayed;
  }

 private:
  absl::Status Feed(const v1::TraceRecord& record) {
    if (full_) return reader_.Damaged("damaged: a record after the end");
    if (record.has_end()) {
      full_ = true;
      return absl::OkStatus();
    }
    if (record.has_made()) {
      if (absl::Status status = Make(record); !status.ok()) return status;
    }
    if (others_.count(record.breaker()) > 0) return absl::OkStatus();
    const auto it = breakers_.find(record.breaker());
    if (it == breakers_.end()) return reader_.Damaged(absl::StrCat("damaged: breaker ", record.breaker(), " was not made"));
    const std::uint64_t before = it->second->window_bytes();
    const absl::Status fed = it->second->Feed(record, reader_.number(), reader_.offset());
    if (!fed.ok()) return reader_.Damaged(absl::StrCat("damaged: ", fed.message()));
    window_bytes_ -= before;
    return AddWindow(*it->second);
  }

  absl::Status Make(const v1::TraceRecord& record) {
    if (breakers_.count(record.breaker()) + others_.count(record.breaker()) > 0) {
      return reader_.Damaged(absl::StrCat("damaged: breaker ", record.breaker(), " is made twice"));
    }
    const v1::BreakerMade& made = record.made();
    if (!options_.breaker.empty() && BreakerId{made.target(), made.service(), made.method()}.name() != options_.breaker) {
      others_.insert(record.breaker());
      return absl::OkStatus();
    }
    if (breakers_.size() >= kMaxBreakers) return TooMuch(absl::StrCat("more than ", kMaxBreakers, " breakers"));
    absl::StatusOr<std::unique_ptr<BreakerReplay>> replay = BreakerReplay::Create(record);
    if (!replay.ok()) return reader_.Damaged(absl::StrCat("damaged: ", replay.status().message()));
    order_.push_back(record.breaker());
    return AddWindow(*(breakers_[record.breaker()] = *std::move(replay)));
  }

  absl::Status AddWindow(const BreakerReplay& breaker) {
    window_bytes_ += breaker.window_bytes();
    return window_bytes_ <= kMaxWindowBytes ? absl::OkStatus() : TooMuch("breakers with windows of more than 100 MB together");
  }

  absl::Status TooMuch(absl::string_view what) const {
    return absl::ResourceExhaustedError(absl::StrCat("byte ", reader_.offset(), ": ", what, "; replay those of one name"));
  }

  TraceReader reader_;
  const ReplayOptions options_;
  std::map<std::uint32_t, std::unique_ptr<BreakerReplay>> breakers_;
  std::vector<std::uint32_t> order_;
  std::set<std::uint32_t> others_;  // not asked for
  std::uint64_t window_bytes_ = 0;
  bool full_ = false;
};

void ToMessage(const ReplayedBreaker& from, v1::ReplayedBreakerResult* to) {
  to->set_target(from.id.target);
  to->set_name(from.id.name());
  to->set_kind(from.kind);
  to->set_checked(from.checked);
  to->set_admitted(from.admitted);
  to->set_rejected(from.rejected);
  to->set_successes(from.successes);
  to->set_failures(from.failures);
  to->set_ignored(from.ignored);
  to->set_dropped(from.dropped);
  for (const ReplayedTransition& transition : from.transitions) {
    v1::ReplayedTransitionResult* const added = to->add_transitions();
    added->set_record(transition.record);
    added->set_at_seconds(ToSeconds(transition.at));
    added->set_message(transition.sentence);
  }
  if (!from.difference.has_value()) return;
  to->mutable_difference()->set_record(from.difference->record);
  to->mutable_difference()->set_offset(from.difference->offset);
  to->mutable_difference()->set_what(from.difference->what);
}

}  // namespace

bool Replayed::identical() const {
  return std::none_of(breakers.begin(), breakers.end(), [](const ReplayedBreaker& breaker) { return breaker.difference.has_value(); });
}

absl::StatusOr<Replayed> ReplayTrace(absl::string_view trace, const ReplayOptions& options) { return TraceReplay(trace, options).Run(); }

std::string ReplayedToJson(const Replayed& replayed) {
  v1::ReplayResult result;
  result.set_identical(replayed.identical());
  result.set_records(replayed.records);
  result.set_full(replayed.full);
  for (const ReplayedBreaker& breaker : replayed.breakers) ToMessage(breaker, result.add_breakers());
  return ToJson(result, JsonFields::kAll) + "\n";
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
