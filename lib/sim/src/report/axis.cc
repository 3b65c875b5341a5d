#include "report/axis.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace recloser::sim::report {
namespace {

// Ends of an axis that were computed: 0.1 + 0.2 is still 0.3.
constexpr double kTolerance = 1e-9;
// Of the axis: labels of 0 and 1 would overlap.
constexpr double kTooNear = 0.09;

}  // namespace

Axis::Axis(Kind kind, std::string label, double low, double high) : kind_(kind), label_(std::move(label)), low_(low), high_(high) {}

Axis Axis::Linear(std::string label, double low, double high) {
  return {Kind::kLinear, std::move(label), low, high > low ? high : low + 1};
}

Axis Axis::Log(std::string label, double low, double high) { return {Kind::kLog, std::move(label), low, high > low ? high : low * 10}; }

Axis Axis::LogFromZero(std::string label, double high) { return {Kind::kLogFromZero, std::move(label), 0, std::max(10.0, high)}; }

double Axis::Transformed(double value) const {
  switch (kind_) {
    case Kind::kLog:
      return std::log10(std::max(value, low_));
    case Kind::kLogFromZero:
      return std::log10(std::max(value, 0.0) + 1);
    case Kind::kLinear:
      break;
  }
  return value;
}

double Axis::Place(double value) const {
  const double low = Transformed(low_);
  return std::clamp((Transformed(value) - low) / (Transformed(high_) - low), 0.0, 1.0);
}

std::vector<double> Axis::Ticks(int count) const { return kind_ == Kind::kLinear ? LinearTicks(count) : LogTicks(count); }

std::vector<double> Axis::LinearTicks(int count) const {
  const double rough = (high_ - low_) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double nice : {5.0, 2.0, 1.0}) {
    if (nice * power >= rough * (1 - kTolerance)) step = nice * power;
  }
  std::vector<double> ticks;
  const double slack = kTolerance * (high_ - low_);
  for (auto i = static_cast<std::int64_t>(std::ceil((low_ - slack) / step)); static_cast<double>(i) * step <= high_ + slack; ++i) {
    ticks.push_back(static_cast<double>(i) * step);
  }
  return ticks;
}

std::vector<double> Axis::LogTicks(int count) const {
  const double lowest = kind_ == Kind::kLog ? low_ : 1;
  const auto first = static_cast<int>(std::floor(std::log10(lowest) + kTolerance));
  const auto last = static_cast<int>(std::floor(std::log10(high_) + kTolerance));
  // A long axis has each second or third power only, a short one 2 and 5 times them too.
  const int stride = std::max(1, (last - first + count - 1) / count);
  const bool between = last - first < 3;
  std::vector<double> ticks;
  if (kind_ == Kind::kLogFromZero) ticks.push_back(0);
  const double nearest = kind_ == Kind::kLogFromZero ? kTooNear : -1;
  for (int power = first; power <= last; power += stride) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && !between) break;
      const double tick = factor * std::pow(10, power);
      if (tick >= lowest * (1 - kTolerance) && tick <= high_ * (1 + kTolerance) && Place(tick) > nearest) ticks.push_back(tick);
    }
  }
  return ticks;
}

}  // namespace recloser::sim::report
