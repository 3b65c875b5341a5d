// The standard breaker's sliding windows: the last n calls, or the calls of the last t in buckets.
#ifndef RECLOSER_CORE_SRC_STANDARD_WINDOW_H_
#define RECLOSER_CORE_SRC_STANDARD_WINDOW_H_

#include <cstdint>
#include <vector>

#include "recloser/core/breaker_options.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

struct CallCounts {
  std::int64_t calls = 0;
  std::int64_t failed = 0;
  std::int64_t slow = 0;

  double failure_rate() const { return calls == 0 ? 0 : static_cast<double>(failed) / static_cast<double>(calls); }
  double slow_rate() const { return calls == 0 ? 0 : static_cast<double>(slow) / static_cast<double>(calls); }
  void Add(const CallCounts& other);
  void Subtract(const CallCounts& other);
};

class StandardWindow {
 public:
  StandardWindow(const StandardBreakerOptions& options, Time now);

  void Add(Time now, bool failed, bool slow);
  /// The sums over the window at `now`. Const: asking changes nothing.
  CallCounts Totals(Time now) const;
  void Clear();
  /// A window of these options with what this one holds. Between a window by count and one by time some is lost: a count window's calls are
  /// taken as made `now`, those of one slice as evenly mixed.
  StandardWindow Reshaped(const StandardBreakerOptions& options, Time now) const;

 private:
  void AddToCountWindow(const CallCounts& call);
  void AddToTimeWindow(Time now, const CallCounts& calls);
  /// The newest of `calls`, as many as fit.
  void AddMixed(const CallCounts& calls);
  std::int64_t SliceOf(Time now) const { return Elapsed(origin_, now) / slice_; }

  bool by_time_;
  Duration slice_;  // the time of one bucket
  Time origin_;
  CallCounts totals_;

  // By count: a ring of bits, two for each call.
  std::vector<std::uint8_t> ring_;
  std::size_t next_ = 0;

  // By time: a ring of buckets, indexed by slice number; `newest_` is the latest slice written.
  std::vector<CallCounts> buckets_;
  std::int64_t newest_ = 0;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_STANDARD_WINDOW_H_
