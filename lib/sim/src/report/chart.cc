#include "report/chart.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "report/text.h"

namespace recloser::sim::report {
namespace {

constexpr int kTop = 12;
constexpr int kBottom = 42;
constexpr int kRight = 14;
constexpr int kTicks = 5;
constexpr int kTextHeight = 13;
// Names of points.
constexpr double kLetterWidth = 7;
constexpr double kNameGap = 6;
constexpr double kNameRise = 5;
constexpr double kRightmostName = 0.65;

bool Drawable(const Point& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

}  // namespace

Chart::Chart(std::string name, Axis x, Axis y, Size size) : name_(std::move(name)), x_(std::move(x)), y_(std::move(y)), size_(size) {}

double Chart::X(double value) const { return size_.left + x_.Place(value) * (size_.width - size_.left - kRight); }

double Chart::Y(double value) const { return size_.height - kBottom - y_.Place(value) * (size_.height - kTop - kBottom); }

void Chart::Line(absl::string_view look, const std::vector<Point>& points) {
  std::string path;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!Drawable(points[i])) continue;
    const bool within = i > 0 && i + 1 < points.size() && points[i - 1].y == points[i].y && points[i].y == points[i + 1].y;
    if (within) continue;  // of a level stretch
    const bool continued = i > 0 && Drawable(points[i - 1]);
    absl::StrAppendFormat(&path, "%c%.1f %.1f", continued ? 'L' : 'M', X(points[i].x), Y(points[i].y));
  }
  if (!path.empty()) absl::StrAppend(&body_, "<path class=\"line ", look, "\" d=\"", path, "\"/>\n");
}

void Chart::Band(absl::string_view look, double from, double to, double opacity) {
  absl::StrAppendFormat(&body_, "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" opacity=\"%.2f\"/>\n", look, X(from),
                        kTop, X(to) - X(from), size_.height - kTop - kBottom, opacity);
}

void Chart::Box(absl::string_view look, Point low, Point high) {
  if (!Drawable(low) || !Drawable(high)) return;
  absl::StrAppendFormat(&body_, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", look, X(low.x), Y(high.y),
                        X(high.x) - X(low.x), Y(low.y) - Y(high.y));
}

void Chart::Dot(absl::string_view look, Point at, double radius, absl::string_view tip) {
  if (!Drawable(at)) return;
  absl::StrAppendFormat(&body_, "<circle class=\"dot %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"><title>%s</title></circle>\n", look, X(at.x),
                        Y(at.y), radius, Escape(tip));
}

void Chart::Stroke(absl::string_view look, Point at, double half_height) {
  if (!Drawable(at)) return;
  absl::StrAppendFormat(&body_, "<path class=\"line %s\" d=\"M%.1f %.1fv%.1f\"/>\n", look, X(at.x), Y(at.y) - half_height, 2 * half_height);
}

void Chart::Horizontal(absl::string_view look, double y, absl::string_view text) {
  absl::StrAppendFormat(&body_, "<path class=\"%s\" d=\"M%d %.1fH%d\"/>\n", look, size_.left, Y(y), size_.width - kRight);
  if (text.empty()) return;
  absl::StrAppendFormat(&body_, "<text class=\"halo\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%s</text>\n", size_.width - kRight - 2,
                        Y(y) - 3, Escape(text));
}

void Chart::Vertical(absl::string_view look, double x) {
  absl::StrAppendFormat(&body_, "<path class=\"%s\" d=\"M%.1f %dV%d\"/>\n", look, X(x), kTop, size_.height - kBottom);
}

void Chart::Name(Point at, absl::string_view text) {
  if (!Drawable(at)) return;
  const bool to_the_left = x_.Place(at.x) > kRightmostName;
  const double x = X(at.x) + (to_the_left ? -kNameGap : kNameGap);
  const double y = Y(at.y) - kNameRise;
  const double width = kLetterWidth * static_cast<double>(text.size());
  const NameBox box = {to_the_left ? x - width : x, to_the_left ? x : x + width, y};
  const bool covers = std::any_of(names_.begin(), names_.end(), [&](const NameBox& other) {
    return box.left < other.right && other.left < box.right && std::abs(box.y - other.y) < kTextHeight;
  });
  if (covers) return;
  names_.push_back(box);
  absl::StrAppendFormat(&body_, "<text class=\"halo\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", to_the_left ? "end" : "start",
                        x, y, Escape(text));
}

std::string Chart::Frame() const {
  const int floor = size_.height - kBottom;
  std::string frame;
  for (const double tick : x_.Ticks(kTicks)) {
    absl::StrAppendFormat(&frame, "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n",
                          X(tick), kTop, floor, X(tick), floor + kTextHeight + 2, TickLabel(tick));
  }
  std::vector<std::pair<double, std::string>> rows = rows_;
  if (rows.empty()) {
    for (const double tick : y_.Ticks(kTicks)) rows.emplace_back(tick, TickLabel(tick));
  }
  for (const auto& [value, text] : rows) {
    absl::StrAppendFormat(&frame, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%s</text>\n",
                          size_.left, Y(value), size_.width - kRight, size_.left - 6, Y(value) + 4, Escape(text));
  }
  absl::StrAppendFormat(&frame, "<text class=\"label\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">%s</text>\n",
                        (size_.left + size_.width - kRight) / 2, size_.height - 6, Escape(x_.label()));
  if (!y_.label().empty()) {
    absl::StrAppendFormat(&frame, "<text class=\"label\" text-anchor=\"middle\" transform=\"translate(13 %d) rotate(-90)\">%s</text>\n",
                          (kTop + floor) / 2, Escape(y_.label()));
  }
  return frame;
}

std::string Chart::Svg() const {
  return absl::StrFormat("<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n%s%s</svg>\n", size_.width, size_.height,
                         Escape(name_), Frame(), body_);
}

}  // namespace recloser::sim::report
