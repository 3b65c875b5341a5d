#include "recloser/sim/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recloser/sim/bars.h"
#include "report/axis.h"
#include "report/chart.h"
#include "report/runs.h"
#include "report/text.h"
#include "scenarios.h"

namespace recloser::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// The first tag that is not closed in its place, or "" when all are. Attribute values must not hold '>'.
std::string FirstUnbalancedTag(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos) return html.substr(at, 40);
    std::string tag = html.substr(at + 1, end - at - 1);
    if (tag.front() == '!' || tag.back() == '/') continue;
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    if (name.front() != '/') {
      open.push_back(name);
    } else {
      if (open.empty() || "/" + open.back() != name) return tag;
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

/// As a word of its own, in any case.
bool HasWord(const std::string& text, const std::string& word) {
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
    const bool begins = at == 0 || std::isalpha(static_cast<unsigned char>(lower[at - 1])) == 0;
    const std::size_t end = at + word.size();
    if (begins && (end == lower.size() || std::isalpha(static_cast<unsigned char>(lower[end])) == 0)) return true;
  }
  return false;
}

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// A short crash under every arm of the narrow grids, some of the wide one.
Plan CrashPlan() {
  Plan plan;
  plan.scenarios = {BaseWith(Plain(Fault::Kind::kRefused)), Base(seconds(4))};
  plan.scenarios[0].id = "crash<1>";
  plan.scenarios[0].title = "down & \"out\"";
  plan.scenarios[1].id = "calm";
  plan.arms = DefaultArms();
  std::vector<Arm> wide = WideGrid();
  plan.arms.insert(plan.arms.end(), wide.begin(), wide.begin() + 3);
  plan.seeds = 2;
  return plan;
}

ReportInput InputOf(const Plan& plan) {
  ReportInput input;
  input.scenarios = plan.scenarios;
  input.records = RunAll({plan}, nullptr);
  input.courses = RunAll(CoursePlans(plan, input.records), nullptr);
  input.command = "recloser simulate --seeds '2'";
  return input;
}

class ReportOfACrash : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    plan_ = new Plan(CrashPlan());
    html_ = new std::string(ReportHtml(InputOf(*plan_)));
  }
  static void TearDownTestSuite() {
    delete plan_;
    delete html_;
  }
  static const Plan* plan_;
  static const std::string* html_;
};
const Plan* ReportOfACrash::plan_ = nullptr;
const std::string* ReportOfACrash::html_ = nullptr;

TEST_F(ReportOfACrash, ClosesEveryTag) { EXPECT_EQ(FirstUnbalancedTag(*html_), ""); }

TEST_F(ReportOfACrash, ShowsEveryScenarioAndArmEscaped) {
  for (const Scenario& scenario : plan_->scenarios) {
    EXPECT_THAT(*html_, HasSubstr(absl::StrCat("<h2 id=\"", report::Escape(scenario.id), "\">")));
  }
  for (const Arm& arm : plan_->arms) EXPECT_THAT(*html_, HasSubstr(arm.name));
  EXPECT_THAT(*html_, HasSubstr("down &amp; &quot;out&quot;"));
  EXPECT_THAT(*html_, HasSubstr("recloser simulate --seeds &#39;2&#39;"));
  EXPECT_THAT(*html_, Not(HasSubstr("crash<1>")));
}

TEST_F(ReportOfACrash, LoadsNothing) {
  for (const char* const reference : {"http:", "https:", "//", "url(", "@import", "<script", "src=", "<link"}) {
    EXPECT_THAT(*html_, Not(HasSubstr(reference)));
  }
}

TEST_F(ReportOfACrash, HasNoNumbersThatAreNone) {
  EXPECT_FALSE(HasWord(*html_, "nan"));
  EXPECT_FALSE(HasWord(*html_, "inf"));
}

TEST_F(ReportOfACrash, HasEveryPictureWithSomethingInIt) {
  for (const char* const title : {"Goodput over time", "State and rating of ours", "Window size of ours", "Cost J against rho",
                                  "Two costs at once", "How soon it opens"}) {
    EXPECT_THAT(*html_, HasSubstr(absl::StrCat("<h4>", title)));
  }
  EXPECT_THAT(*html_, HasSubstr("<rect class=\"fault\""));
  EXPECT_THAT(*html_, HasSubstr("<rect class=\"open\""));
  EXPECT_EQ(Count(*html_, "<h4>Ours / best standard at rho"), 4);
  std::size_t pictures = 0;
  for (std::size_t at = html_->find("<svg"); at != std::string::npos; at = html_->find("<svg", at + 1)) {
    const std::string svg = html_->substr(at, html_->find("</svg>", at) - at);
    EXPECT_TRUE(absl::StrContains(svg, "class=\"line") || absl::StrContains(svg, "class=\"dot")) << svg;
    ++pictures;
  }
  // Ratios at four costs; per scenario goodput, rating and window; where there is a fault cost, front and two of delays.
  EXPECT_EQ(pictures, 4u + 2 * 3 + 4);
  EXPECT_EQ(Count(*html_, "all cost nothing"), 1);
}

RunRecord Record(std::string arm, std::uint64_t seed, std::int64_t wasted, double good_rejected) {
  RunRecord record;
  record.scenario = "S1";
  record.arm = std::move(arm);
  record.seed = seed;
  record.result.figures.wasted = wasted;
  record.result.figures.good_rejected = good_rejected;
  return record;
}

/// Ours rejects `ours` good calls, all standard configurations 480.
std::string Report(double ours) {
  ReportInput input;
  for (const Arm& arm : DefaultArms()) {
    input.records.push_back(Record(arm.name, 1, 0, absl::StartsWith(arm.name, "adaptive") ? ours : 480));
  }
  return ReportHtml(input);
}

TEST(Report, SaysWhereOursLoses) {
  const std::string html = Report(730);
  EXPECT_THAT(html, HasSubstr("In 4 of 4 pairs of entry and rho, ours costs more"));
  EXPECT_THAT(html, HasSubstr("ratio 1.50, 95 % interval 1.50 to 1.50. Ours has as many wasted attempts and 250 more good calls rejected"));
  EXPECT_THAT(Report(230), HasSubstr("In none of these entries does ours cost more"));
}

TEST(Report, SaysWhereTheWideGridIsBetter) {
  ReportInput input;
  for (const Arm& arm : DefaultArms()) input.records.push_back(Record(arm.name, 1, 0, absl::StartsWith(arm.name, "adaptive") ? 100 : 480));
  input.records.push_back(Record("wide-t1s-w1s-h1-s50", 1, 5, 0));
  // 120 / 25, 120 / 35, 120 / 70 and 120 / 170.
  EXPECT_THAT(ReportHtml(input),
              HasSubstr("ours costs more in 3 of 4 pairs: S1 at rho 1 (4.80), S1 at rho 3 (3.43), S1 at rho 10 (1.71)."));
}

TEST(Report, OfSomeArmsOnlySaysThatNothingIsCompared) {
  ReportInput input;
  input.records = {Record("none", 1, 5, 0), Record("pid", 1, 3, 4)};
  const std::string html = ReportHtml(input);
  EXPECT_EQ(FirstUnbalancedTag(html), "");
  EXPECT_THAT(html, HasSubstr("cannot be compared"));
  EXPECT_THAT(html, HasSubstr("pid: wasted 3.00, good calls rejected 4.00"));
}

TEST(Report, ShowsTheGeometricMeansOverOtherScenarios) {
  ReportInput input;
  input.elsewhere.resize(2);
  input.elsewhere[0].title = "varied";
  input.elsewhere[0].report.bars = {{"cost 1, rho 1: geometric mean", {0.7, 0.6, 0.8}, 0.8, true, true},
                                    {"cost 1, rho 1: smoothing 1", {9, 9, 9}, 0.8, false},
                                    {"cost 3, rho 1, wide grid: geometric mean", {9, 9, 9}, 1.1, true}};
  input.elsewhere[1].title = "held out";
  input.elsewhere[1].report.bars = {{"cost 1, rho 1: geometric mean", {0.9, 0.9, 1}, 0.8, true, true}};
  const std::string html = ReportHtml(input);
  EXPECT_EQ(FirstUnbalancedTag(html), "");
  EXPECT_THAT(html, HasSubstr("<tr><th>scenarios</th><th>cost 1, rho 1: geometric mean</th></tr>\n"
                              "<tr><th>varied</th><td class=\"\">0.700 [0.600, 0.800]</td></tr>\n"
                              "<tr><th>held out</th><td class=\"\">0.900 [0.900, 1.00]</td></tr>"));
}

TEST(Report, ShowsTheBarsAndWhatCouldNotBeJudged) {
  ReportInput input;
  input.judged.emplace();
  input.judged->bars = {{"too slow", {0.5, 0.4, 0.6}, 0.55, true}, {"for the record", {2, 2, 2}, 1, false}};
  input.judged->missing = {"the <wide> grid"};
  const std::string html = ReportHtml(input);
  EXPECT_EQ(FirstUnbalancedTag(html), "");
  EXPECT_THAT(html,
              HasSubstr("<th>too slow</th><td class=\"\">0.500 [0.400, 0.600]</td><td class=\"\">0.550</td><td class=\"worse\">missed<"));
  EXPECT_THAT(html, HasSubstr("only reported"));
  EXPECT_THAT(html, HasSubstr("Not judged: the &lt;wide&gt; grid"));
}

TEST(Report, WarnsOfFewSeeds) {
  ReportInput input;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    input.records.push_back(Record("none", seed, 1, 0));
    EXPECT_EQ(absl::StrContains(ReportHtml(input), "So few seeds"), seed < 5) << seed;
  }
}

TEST(Report, OfNothingIsAPage) { EXPECT_EQ(FirstUnbalancedTag(ReportHtml({})), ""); }

TEST(Report, FollowsTheFeaturedArmsOfTheFirstSeedOnly) {
  Plan plan = CrashPlan();
  plan.first_seed = 7;
  plan.varied = true;
  const std::vector<RunRecord> records = {Record("adaptive", 7, 1, 1), Record("none", 7, 9, 0), Record("wide-t1s-w1s-h1-s50", 7, 2, 2)};
  plan.scenarios[0].id = "S1";
  const std::vector<Plan> courses = CoursePlans(plan, records);
  ASSERT_EQ(courses.size(), 2u);
  ASSERT_EQ(courses[0].arms.size(), 2u);  // the plan has no such wide arm
  EXPECT_EQ(courses[0].arms[0].name, "adaptive");
  EXPECT_EQ(courses[0].first_seed, 7u);
  EXPECT_EQ(courses[0].seeds, 1);
  EXPECT_TRUE(courses[0].varied);
  EXPECT_TRUE(courses[1].arms.empty());
}

TEST(Axis, HasNiceTicks) {
  EXPECT_THAT(report::Axis::Linear("", 0, 60).Ticks(5), ElementsAre(0, 20, 40, 60));
  EXPECT_THAT(report::Axis::Linear("", 0, 1).Ticks(5), ::testing::Pointwise(::testing::DoubleEq(), {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}));
  EXPECT_THAT(report::Axis::Log("", 0.5, 2).Ticks(5), ElementsAre(0.5, 1, 2));
  EXPECT_THAT(report::Axis::Log("", 0.3, 100).Ticks(5), ElementsAre(1, 10, 100));
  EXPECT_THAT(report::Axis::LogFromZero("", 2000).Ticks(5), ElementsAre(0, 1, 10, 100, 1000));
}

TEST(Axis, PlacesValuesWithinItself) {
  const report::Axis log = report::Axis::Log("", 1, 100);
  EXPECT_DOUBLE_EQ(log.Place(10), 0.5);
  EXPECT_EQ(log.Place(0), 0);
  EXPECT_EQ(log.Place(1e9), 1);
  EXPECT_EQ(report::Axis::Linear("", 3, 3).Place(3), 0);
}

TEST(Chart, BreaksLinesWhereAValueIsUnknown) {
  report::Chart chart("c", report::Axis::Linear("x", 0, 4), report::Axis::Linear("y", 0, 1));
  chart.Line("arm0", {{0, 0}, {1, 1}, {2, std::numeric_limits<double>::quiet_NaN()}, {3, 0.5}, {4, 1}});
  const std::string svg = chart.Svg();
  const std::string path = svg.substr(svg.find("line arm0"));
  EXPECT_EQ(std::count(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(path.find("/>")), 'M'), 2);
  EXPECT_FALSE(HasWord(svg, "nan"));
}

TEST(ReportText, NumbersAreShort) {
  EXPECT_EQ(report::Number(0), "0");
  EXPECT_EQ(report::Number(0.0451), "0.045");
  EXPECT_EQ(report::Number(12345.6), "12,346");
  EXPECT_EQ(report::Number(-1234567), "-1,234,567");
  EXPECT_EQ(report::Number(std::nan("")), "-");
  EXPECT_EQ(report::TickLabel(20000), "20k");
}

}  // namespace
}  // namespace recloser::sim
