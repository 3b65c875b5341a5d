#include <algorithm>

#include "absl/strings/str_cat.h"
#include "report/chart.h"
#include "report/figure.h"
#include "report/pictures.h"
#include "report/text.h"

namespace recloser::sim::report {
namespace {

constexpr int kRowHeight = 28;
constexpr int kFrameHeight = 54;
constexpr double kMedianHalfHeight = 9;
// Of an axis, in seconds.
constexpr double kShortest = 0.1;
// Room for short names; the legend has them in full.
constexpr int kNamesWidth = 78;

struct Delay {
  const char* name;
  const char* axis;
  std::optional<double> Figures::*member;
};
constexpr Delay kToOpen = {"time to open", "time to open: from the first fault's start, s", &Figures::time_to_open_s};
constexpr Delay kBlocking = {"blocking latency", "blocking latency: from the last fault's end, s", &Figures::blocking_latency_s};

std::string ShortName(const std::string& arm) {
  if (IsStandard(arm)) return arm.substr(sizeof("standard-") - 1);
  return arm.size() <= 10 ? arm : absl::StrCat(arm.substr(0, 9), "~");
}

struct Row {
  std::string arm;
  std::string look;
  const SeedFigures* seeds;
};

std::string Picture(const Delay& delay, const std::string& scenario, const std::vector<Row>& rows) {
  double longest = 0;
  for (const Row& row : rows) {
    for (const double value : Present(*row.seeds, delay.member)) longest = std::max(longest, value);
  }
  const auto count = static_cast<double>(rows.size());
  Chart::Size size;
  size.left = kNamesWidth;
  size.height = kFrameHeight + kRowHeight * static_cast<int>(rows.size());
  Chart chart(absl::StrCat(scenario, ": ", delay.name), Axis::Linear(delay.axis, 0, std::max(kShortest, 1.05 * longest)),
              Axis::Linear("", 0, count), size);
  std::vector<std::pair<double, std::string>> names;
  double y = count;
  for (const Row& row : rows) {
    const std::vector<double> values = Present(*row.seeds, delay.member);
    y -= 1;
    names.emplace_back(y + 0.5, ShortName(row.arm));
    for (const double value : values) {
      chart.Dot(absl::StrCat(row.look, " faint"), {value, y + 0.5}, 4, absl::StrCat(row.arm, ": ", Number(value), " s"));
    }
    if (const std::optional<double> median = Median(values)) chart.Stroke(row.look, {*median, y + 0.5}, kMedianHalfHeight);
  }
  chart.NameRows(std::move(names));
  return chart.Svg();
}

std::string Medians(const Row& row) {
  const std::optional<double> to_open = Median(Present(*row.seeds, kToOpen.member));
  const std::optional<double> blocking = Median(Present(*row.seeds, kBlocking.member));
  return absl::StrCat(row.arm, to_open.has_value() ? absl::StrCat(": opens after ", Number(*to_open), " s") : ": never opens",
                      blocking.has_value() ? absl::StrCat(", blocks for ", Number(*blocking), " s") : "");
}

}  // namespace

std::string DelayPictures(const std::string& scenario, const std::vector<Featured>& arms, const Runs& runs) {
  std::vector<Row> rows;
  std::vector<LegendEntry> legend;
  bool any = false;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (arms[i].arm == kNone) continue;
    rows.push_back({arms[i].arm, ArmLook(i), &runs.Find(scenario, arms[i].arm)});
    legend.push_back({ArmLook(i) + " round", Medians(rows.back())});
    any = any || !Present(*rows.back().seeds, kBlocking.member).empty();
  }
  if (!any) return "";  // no fault
  return Figure(
      "How soon it opens, how long it blocks", absl::StrCat(Picture(kToOpen, scenario, rows), Picture(kBlocking, scenario, rows)), legend,
      "A dot for each seed, strokes and numbers: medians. No dot: it did not open. Blocking latency: until the last rejection of a "
      "call that would have been answered, within 10 s; 0: none.");
}

}  // namespace recloser::sim::report
