// Where a value stands on an axis, and which values are written beside it.
#ifndef RECLOSER_SIM_SRC_REPORT_AXIS_H_
#define RECLOSER_SIM_SRC_REPORT_AXIS_H_

#include <string>
#include <vector>

namespace recloser::sim::report {

class Axis {
 public:
  /// From `low` to `high`; equal: made wider.
  static Axis Linear(std::string label, double low, double high);
  /// The same for values above 0.
  static Axis Log(std::string label, double low, double high);
  /// Logarithm of value + 1, from 0 on: for counts of all sizes with zeros among them.
  static Axis LogFromZero(std::string label, double high);

  const std::string& label() const { return label_; }
  /// 0 at the low end, 1 at the high end, never beyond.
  double Place(double value) const;
  /// Nice ones: 1, 2 or 5 times a power of ten, about `count`.
  std::vector<double> Ticks(int count) const;

 private:
  enum class Kind { kLinear, kLog, kLogFromZero };

  Axis(Kind kind, std::string label, double low, double high);
  double Transformed(double value) const;
  std::vector<double> LinearTicks(int count) const;
  std::vector<double> LogTicks(int count) const;

  Kind kind_;
  std::string label_;
  double low_;
  double high_;
};

}  // namespace recloser::sim::report

#endif  // RECLOSER_SIM_SRC_REPORT_AXIS_H_
