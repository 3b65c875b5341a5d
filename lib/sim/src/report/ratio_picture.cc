#include <algorithm>

#include "absl/strings/str_cat.h"
#include "report/chart.h"
#include "report/figure.h"
#include "report/pictures.h"
#include "report/text.h"

namespace recloser::sim::report {
namespace {

constexpr int kRowHeight = 19;
constexpr int kFrameHeight = 54;
constexpr int kNamesWidth = 108;
// The axis: half to double, further where an interval reaches further.
constexpr double kLow = 0.5;
constexpr double kHigh = 2;

}  // namespace

std::string RatioPicture(const std::vector<EntryRatio>& ratios, double rho) {
  std::vector<EntryRatio> rows;
  double low = kLow;
  double high = kHigh;
  for (const EntryRatio& ratio : ratios) {
    if (ratio.rho != rho) continue;
    rows.push_back(ratio);
    low = std::min(low, 0.9 * ratio.ratio.low);
    high = std::max(high, 1.1 * ratio.ratio.high);
  }
  if (rows.empty()) return "";
  const auto count = static_cast<double>(rows.size());
  Chart::Size size;
  size.left = kNamesWidth;
  size.height = kFrameHeight + kRowHeight * static_cast<int>(rows.size());
  const std::string title = absl::StrCat("Ours / best standard at rho ", rho);
  Chart chart(title, Axis::Log("ratio of the costs J + 20 (below 1: ours is better)", low, high), Axis::Linear("", 0, count), size);
  std::vector<std::pair<double, std::string>> names;
  chart.Vertical("even", 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Interval& value = rows[i].ratio;
    const double y = count - static_cast<double>(i) - 0.5;
    names.emplace_back(y, rows[i].entry);
    const char* const look = RatioLook(value.value);
    chart.Line(look, {{value.low, y}, {value.high, y}});
    chart.Dot(look, {value.value, y}, 4.5,
              absl::StrCat(rows[i].entry, ": ", Number(value.value), ", 95 % interval ", Number(value.low), " to ", Number(value.high)));
  }
  chart.NameRows(std::move(names));
  return Figure(title, chart.Svg(), {{"better round", "ours costs less"}, {"worse round", "ours costs more"}, {"even", "as good"}},
                "Lines: 95 % bootstrap intervals over the seeds.");
}

}  // namespace recloser::sim::report
