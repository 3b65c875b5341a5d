#include "account.h"

#include <algorithm>

namespace recloser::sim {
namespace {

// How long after the fault's end a rejection is still put down to it.
constexpr Duration kBlockingHorizon = std::chrono::seconds(10);
constexpr std::size_t kBinsPerHalfSecond = 5;
constexpr std::int64_t kCallsForAmplification = 10;
// Recovered: at least this goodput in each half of the next two seconds.
constexpr double kRecoveredGoodput = 0.9;
constexpr std::size_t kRecoveredHalfSeconds = 4;

}  // namespace

Account::Account(Time origin, Duration length, std::optional<FaultSpan> span, std::size_t callers, Duration series_step)
    : origin_(origin),
      span_(span),
      measured_bins_(static_cast<std::size_t>((length + kBin - Duration(1)) / kBin)),
      first_opening_(callers) {
  bins_.resize(measured_bins_);
  series_.step = series_step;
  if (series_step > Duration::zero()) series_.steps.resize(static_cast<std::size_t>((length + series_step - Duration(1)) / series_step));
}

void Account::OnCallStarted(Time now, bool by_client) {
  ++figures_.all_calls;
  Bin& bin = BinOf(now);
  ++bin.calls;
  if (!by_client) return;
  ++figures_.calls;
  ++bin.offered;
  if (Series::Step* const step = StepOf(now)) ++step->offered;
}

void Account::OnAttemptStarted(Time now) {
  ++figures_.attempts;
  ++BinOf(now).attempts;
}

void Account::OnAttemptWasted(Time now) {
  ++figures_.wasted;
  if (Series::Step* const step = StepOf(now)) ++step->wasted;
}

void Account::OnCallRejected(Time now, double worth) {
  ++figures_.rejected;
  figures_.good_rejected += worth;
  if (Series::Step* const step = StepOf(now)) ++step->rejected;
  if (worth > 0 && span_.has_value() && now >= span_->end && now <= SaturatingAdd(span_->end, kBlockingHorizon)) {
    last_good_rejection_ = now;
  }
}

void Account::OnClientCallEnded(Time started, Time now, bool good) {
  latencies_.Add(Elapsed(started, now));
  if (!good) return;
  ++figures_.good;
  ++BinOf(started).good;
  if (Series::Step* const step = StepOf(started)) ++step->good;
}

void Account::OnTransition(std::size_t caller, const BreakerTransition& transition, bool counts_for_time_to_open) {
  if (transition.at < origin_) return;
  ++figures_.transitions;
  if (transition.from != BreakerState::kClosed || transition.to != BreakerState::kOpen) return;
  ++figures_.openings;
  std::optional<Time>& first = first_opening_[caller];
  if (counts_for_time_to_open && span_.has_value() && transition.at >= span_->begin && !first.has_value()) first = transition.at;
}

void Account::OnSample(Time now, double worth, const BreakerSnapshot* snapshot) {
  Series::Step* const step = StepOf(now - Duration(1));
  if (step == nullptr) return;
  step->worth = worth;
  if (snapshot == nullptr) return;
  step->state = snapshot->state;
  step->rating = snapshot->rating;
  step->window_calls = snapshot->window_calls;
  step->admitted_share = snapshot->admitted_share;
}

Figures Account::Finish(std::int64_t invariant_violations) const {
  Figures figures = figures_;
  figures.time_to_open_s = TimeToOpen();
  figures.blocking_latency_s = BlockingLatency();
  figures.recovery_s = Recovery();
  figures.amplification_worst = WorstAmplification();
  figures.p50_s = latencies_.Quantile(0.5);
  figures.p99_s = latencies_.Quantile(0.99);
  figures.invariant_violations = invariant_violations;
  return figures;
}

Account::Bin& Account::BinOf(Time t) {
  const auto index = static_cast<std::size_t>(Elapsed(origin_, t) / kBin);
  if (index >= bins_.size()) bins_.resize(index + 1);
  return bins_[index];
}

Series::Step* Account::StepOf(Time t) {
  if (series_.steps.empty() || t < origin_) return nullptr;
  const auto index = static_cast<std::size_t>(Elapsed(origin_, t) / series_.step);
  return index < series_.steps.size() ? &series_.steps[index] : nullptr;
}

std::optional<double> Account::TimeToOpen() const {
  double sum_s = 0;
  int opened = 0;
  for (const std::optional<Time>& first : first_opening_) {
    if (!first.has_value()) continue;
    sum_s += ToSeconds(Elapsed(span_->begin, *first));
    ++opened;
  }
  if (opened == 0) return std::nullopt;
  return sum_s / opened;
}

std::optional<double> Account::BlockingLatency() const {
  if (!span_.has_value()) return std::nullopt;
  return last_good_rejection_.has_value() ? ToSeconds(Elapsed(span_->end, *last_good_rejection_)) : 0;
}

std::optional<double> Account::Recovery() const {
  if (!span_.has_value()) return std::nullopt;
  const Duration end = Elapsed(origin_, span_->end);
  const auto is_good = [&](std::size_t first) {
    std::int64_t offered = 0;
    std::int64_t good = 0;
    for (std::size_t i = first; i < first + kBinsPerHalfSecond; ++i) {
      offered += bins_[i].offered;
      good += bins_[i].good;
    }
    return static_cast<double>(good) >= kRecoveredGoodput * static_cast<double>(offered);
  };
  const std::size_t needed = kRecoveredHalfSeconds * kBinsPerHalfSecond;
  for (auto i = static_cast<std::size_t>((end + kBin - Duration(1)) / kBin); i + needed <= measured_bins_; ++i) {
    bool recovered = true;
    for (std::size_t half = 0; recovered && half < kRecoveredHalfSeconds; ++half) recovered = is_good(i + half * kBinsPerHalfSecond);
    if (recovered) return std::max(0.0, ToSeconds(static_cast<int>(i) * kBin - end));
  }
  return std::nullopt;
}

double Account::WorstAmplification() const {
  double worst = 0;
  for (std::size_t i = 0; i + kBinsPerHalfSecond <= bins_.size(); i += kBinsPerHalfSecond) {
    std::int64_t calls = 0;
    std::int64_t attempts = 0;
    for (std::size_t k = i; k < i + kBinsPerHalfSecond; ++k) {
      calls += bins_[k].calls;
      attempts += bins_[k].attempts;
    }
    if (calls >= kCallsForAmplification) worst = std::max(worst, static_cast<double>(attempts) / static_cast<double>(calls));
  }
  return worst;
}

}  // namespace recloser::sim
