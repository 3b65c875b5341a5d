#include "recloser/events/decision_trace.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "trace_format.h"
#include "trace_sink.h"
#include "traced_breaker.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

namespace v1 = events::v1;
using events_internal::Encode;
using events_internal::TraceBeginning;
using events_internal::TracedBreaker;
using events_internal::TraceEncoding;
using events_internal::TraceSink;

constexpr std::uint64_t kMinBytes = 1 << 10;
constexpr std::uint64_t kMaxBytes = std::uint64_t{16} << 30;

std::string FullMark(TraceEncoding encoding) {
  v1::TraceRecord record;
  record.mutable_end()->set_reason("full");
  return Encode(record, encoding);
}

}  // namespace

class DecisionTrace::Recorder final : public TraceSink {
 public:
  explicit Recorder(const DecisionTraceOptions& options)
      : encoding_(options.format),
        full_mark_(FullMark(encoding_)),
        max_bytes_(std::clamp(options.max_bytes, kMinBytes, kMaxBytes) - full_mark_.size()),
        untaken_(TraceBeginning(encoding_)),
        bytes_(untaken_.size()) {}

  bool active() const override { return active_.load(std::memory_order_relaxed); }

  void Write(const v1::TraceRecord& record) override {
    const std::string encoded = Encode(record, encoding_);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!active()) return;
    if (bytes_ + encoded.size() > max_bytes_) {
      full_ = true;
      active_.store(false, std::memory_order_relaxed);
      Append(full_mark_);
    } else {
      Append(encoded);
    }
  }

  std::string Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(untaken_, {});
  }

  void Stop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    active_.store(false, std::memory_order_relaxed);
  }

  std::uint64_t records() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return records_;
  }

  bool full() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return full_;
  }

  std::uint32_t NextNumber() { return breakers_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  void Append(const std::string& encoded) {
    untaken_ += encoded;
    bytes_ += encoded.size();
    ++records_;
  }

  const TraceEncoding encoding_;
  const std::string full_mark_;
  const std::uint64_t max_bytes_;  // before the mark
  std::atomic<bool> active_{true};
  std::atomic<std::uint32_t> breakers_{0};
  mutable std::mutex mutex_;
  // All below: guarded by `mutex_`.
  std::string untaken_;
  std::uint64_t bytes_;
  std::uint64_t records_ = 1;
  bool full_ = false;
};

std::shared_ptr<DecisionTrace> DecisionTrace::Start(const std::shared_ptr<Registry>& registry, const DecisionTraceOptions& options) {
  auto recorder = std::make_shared<Recorder>(options);
  registry->SetBreakerMaker([recorder](const BreakerId& id, const BreakerOptions& breaker, Time now, const Random& random) {
    auto traced = std::make_unique<TracedBreaker>(recorder->NextNumber(), id, breaker, now, random, recorder);
    if (!traced->has_breaker()) traced = nullptr;
    return std::unique_ptr<CircuitBreaker>(std::move(traced));
  });
  return std::shared_ptr<DecisionTrace>(new DecisionTrace(std::move(recorder)));
}

DecisionTrace::DecisionTrace(std::shared_ptr<Recorder> recorder) : recorder_(std::move(recorder)) {}
DecisionTrace::~DecisionTrace() { Stop(); }
std::string DecisionTrace::Take() { return recorder_->Take(); }
void DecisionTrace::Stop() { recorder_->Stop(); }
std::uint64_t DecisionTrace::records() const { return recorder_->records(); }
bool DecisionTrace::full() const { return recorder_->full(); }

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
