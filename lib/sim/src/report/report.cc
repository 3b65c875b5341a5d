#include "recloser/sim/report.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "report/losses.h"
#include "report/pictures.h"
#include "report/report_tables.h"
#include "report/runs.h"
#include "report/style.h"
#include "report/text.h"

namespace recloser::sim {
namespace {

using report::Escape;
using report::Runs;

constexpr Duration kFinestStep = std::chrono::milliseconds(100);
constexpr int kCourseSteps = 1200;
// A bootstrap over fewer has nothing to draw from.
constexpr std::size_t kSeedsForIntervals = 5;

constexpr char kWords[] = R"html(<h2 id="words">How to read it</h2>
<dl>
<dt>Arm</dt><dd>What guards the calls: ours (<code>adaptive</code>), a standard breaker with one of its configurations, no breaker, or another rule. All arms see the same calls and faults.</dd>
<dt>Goodput</dt><dd>Share of the calls that were answered OK within their SLO.</dd>
<dt>Wasted attempts</dt><dd>Attempts that gave no OK within the SLO. Failures of a background of at most 5 % errors are not counted: every arm pays them.</dd>
<dt>Good calls rejected</dt><dd>Rejected calls, each counted as the share of it that the service could have answered at that moment, which depends on the scenario only.</dd>
<dt>rho, wasted_attempt_cost</dt><dd>How many good calls one would rather see rejected than one more attempt sent to a service that is down.</dd>
<dt>Cost J</dt><dd>rho x wasted attempts + good calls rejected. A mean over the seeds; lower is better.</dd>
<dt>Ratio</dt><dd>(J of ours + 20) / (J of the best standard configuration + 20), ours with its cost set to rho; the standard one is picked in hindsight for each entry and each rho, which nobody can do in real life.</dd>
<dt>Blocking latency</dt><dd>From the fault's end to the last rejection of a call that would have been answered.</dd>
</dl>
)html";

/// The scenarios in which ours and every standard configuration ran, so that one missing arm does not hide all ratios.
std::vector<std::string> ComparableEntries(const Runs& runs) {
  std::vector<std::string> entries;
  for (const std::string& scenario : runs.scenarios()) {
    const std::vector<Arm> grid = StandardGrid();
    const bool complete = !runs.Find(scenario, report::kOurs).empty() &&
                          std::all_of(grid.begin(), grid.end(), [&](const Arm& arm) { return !runs.Find(scenario, arm.name).empty(); });
    if (complete) entries.push_back(scenario);
  }
  return entries;
}

class Page {
 public:
  explicit Page(const ReportInput& input) : input_(input), runs_(input.records) {
    const std::vector<std::string> entries = ComparableEntries(runs_);
    if (!entries.empty()) ratios_ = JudgeRatios(input.records, entries).entries;
  }

  std::string Html() const {
    std::string html = absl::StrCat(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>Recloser: simulation report</title>\n<style>",
        report::kStyle, "</style>\n</head>\n<body>\n", Summary(), kWords);
    for (const std::string& scenario : runs_.scenarios()) absl::StrAppend(&html, Section(scenario));
    absl::StrAppend(&html, "</body>\n</html>\n");
    return html;
  }

 private:
  std::string Summary() const {
    std::string html =
        absl::StrCat("<h1>Recloser: simulation report</h1>\n<p>", runs_.scenarios().size(), " scenarios, ", input_.records.size(),
                     " runs, ", runs_.seeds(), " seeds, pattern: ", Escape(PatternName(runs_.pattern())), ".");
    if (!input_.command.empty()) absl::StrAppend(&html, " Made by <code>", Escape(input_.command), "</code>.");
    if (runs_.seeds() < kSeedsForIntervals) absl::StrAppend(&html, " <b>So few seeds say little, and intervals over them nothing.</b>");
    absl::StrAppend(&html, " New to this? <a href=\"#words\">How to read it</a>.</p>\n<nav>");
    for (const std::string& scenario : runs_.scenarios()) {
      absl::StrAppend(&html, "<a href=\"#", Escape(scenario), "\">", Escape(scenario), "</a> ");
    }
    absl::StrAppend(&html, "</nav>\n");
    if (!ratios_.empty()) {
      absl::StrAppend(&html, "<h2>Ours against the best standard configuration of each entry</h2>\n<div class=\"pictures pairs\">\n");
      for (const double rho : report::kRhos) absl::StrAppend(&html, report::RatioPicture(ratios_, rho));
      absl::StrAppend(&html, "</div>\n");
    }
    absl::StrAppend(&html, "<h2>Where it loses</h2>\n", report::LossesHtml(ratios_, input_.scenarios, runs_));
    if (input_.judged.has_value()) absl::StrAppend(&html, "<h2>Bars</h2>\n", report::BarsTable(*input_.judged));
    if (!input_.elsewhere.empty()) {
      absl::StrAppend(&html, "<h2>The same geometric means over other scenarios</h2>\n", report::ElsewhereTable(input_.elsewhere));
    }
    if (!ratios_.empty()) absl::StrAppend(&html, "<h2>Ratios of all entries</h2>\n", report::RatiosTable(ratios_, runs_));
    return html;
  }

  std::string Section(const std::string& scenario) const {
    const std::vector<report::Featured> arms = runs_.FeaturedArms(scenario);
    const auto found = std::find_if(input_.scenarios.begin(), input_.scenarios.end(), [&](const Scenario& s) { return s.id == scenario; });
    std::string html = absl::StrCat("<h2 id=\"", Escape(scenario), "\">", Escape(scenario), ": ",
                                    Escape(found == input_.scenarios.end() ? "" : found->title), "</h2>\n<div class=\"pictures\">\n");
    absl::StrAppend(&html, report::GoodputPicture(scenario, arms, input_.courses), report::BreakerPictures(scenario, input_.courses),
                    report::CostPicture(scenario, runs_), report::FrontPicture(scenario, runs_),
                    report::DelayPictures(scenario, arms, runs_));
    absl::StrAppend(&html, "</div>\n<details><summary>All figures of ", Escape(scenario),
                    " (means over the seeds; to open, blocking and recovery: medians)</summary>\n", report::FiguresTable(scenario, runs_),
                    "</details>\n");
    return html;
  }

  const ReportInput& input_;
  const Runs runs_;
  std::vector<EntryRatio> ratios_;
};

}  // namespace

std::vector<Plan> CoursePlans(const Plan& plan, const std::vector<RunRecord>& records) {
  const Runs runs(records);
  std::vector<Plan> plans;
  for (const Scenario& scenario : plan.scenarios) {
    Plan course;
    course.scenarios = {scenario};
    for (const report::Featured& featured : runs.FeaturedArms(scenario.id)) {
      const auto own = std::find_if(plan.arms.begin(), plan.arms.end(), [&](const Arm& arm) { return arm.name == featured.arm; });
      if (own != plan.arms.end()) course.arms.push_back(*own);
    }
    course.patterns = {runs.pattern()};
    course.first_seed = plan.first_seed;
    course.varied = plan.varied;
    course.series_step = std::max(kFinestStep, scenario.length / kCourseSteps);
    plans.push_back(std::move(course));
  }
  return plans;
}

std::string ReportHtml(const ReportInput& input) { return Page(input).Html(); }

}  // namespace recloser::sim
