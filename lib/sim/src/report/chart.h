// One picture as inline SVG: axes, lines, bands, points and words, in the coordinates of the data.
//
//   Chart chart("goodput over time", Axis::Linear("time, s", 0, 60), Axis::Linear("goodput, %", 0, 100));
//   chart.Line("ours", {{0, 100}, {10, 0}});
//   std::string svg = chart.Svg();
//
// Colours are classes of the page's style sheet, so that they follow the reader's light or dark mode. Values that are not finite are left
// out.
#ifndef RECLOSER_SIM_SRC_REPORT_CHART_H_
#define RECLOSER_SIM_SRC_REPORT_CHART_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "report/axis.h"

namespace recloser::sim::report {

struct Point {
  double x = 0;
  double y = 0;
};

class Chart {
 public:
  struct Size {
    int width = 420;
    int height = 260;
    int left = 56;  // room for the labels of the y axis
  };

  /// `name`: what a screen reader says.
  Chart(std::string name, Axis x, Axis y) : Chart(std::move(name), std::move(x), std::move(y), Size()) {}
  Chart(std::string name, Axis x, Axis y, Size size);

  /// Beside each row instead of the y axis's ticks: (value, text).
  void NameRows(std::vector<std::pair<double, std::string>> rows) { rows_ = std::move(rows); }

  // Drawn in the order of the calls, above the grid. `look`: class names.
  void Line(absl::string_view look, const std::vector<Point>& points);
  /// From `from` to `to`, all of the height.
  void Band(absl::string_view look, double from, double to, double opacity);
  void Box(absl::string_view look, Point low, Point high);
  void Dot(absl::string_view look, Point at, double radius, absl::string_view tip);
  /// An upright stroke, `half_height` pixels up and down.
  void Stroke(absl::string_view look, Point at, double half_height);
  void Horizontal(absl::string_view look, double y, absl::string_view text);
  void Vertical(absl::string_view look, double x);
  /// Beside the place, on the side where there is room; not where it would cover an earlier name.
  void Name(Point at, absl::string_view text);

  std::string Svg() const;

 private:
  struct NameBox {
    double left;
    double right;
    double y;
  };

  double X(double value) const;
  double Y(double value) const;
  std::string Frame() const;

  std::string name_;
  Axis x_;
  Axis y_;
  Size size_;
  std::vector<std::pair<double, std::string>> rows_;
  std::string body_;
  std::vector<NameBox> names_;
};

}  // namespace recloser::sim::report

#endif  // RECLOSER_SIM_SRC_REPORT_CHART_H_
