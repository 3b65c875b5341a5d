#include "report/losses.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "report/text.h"

namespace recloser::sim::report {
namespace {

// Less than this share of the calls is not worth a word.
constexpr double kGoodputNoticed = 0.001;

std::string TitleOf(const std::vector<Scenario>& scenarios, const std::string& id) {
  const auto found = std::find_if(scenarios.begin(), scenarios.end(), [&](const Scenario& scenario) { return scenario.id == id; });
  return found == scenarios.end() ? id : found->title;
}

/// "12 more wasted attempts"
std::string Difference(double ours, double theirs, const std::string& what) {
  const double difference = ours - theirs;
  if (std::abs(difference) < 0.5) return absl::StrCat("as many ", what);
  return absl::StrCat(Number(std::abs(difference)), difference > 0 ? " more " : " fewer ", what);
}

std::string Delays(const SeedFigures& ours, const SeedFigures& theirs) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, std::optional<double> Figures::*member) {
    const std::optional<double> a = Median(Present(ours, member));
    const std::optional<double> b = Median(Present(theirs, member));
    if (a.has_value() && b.has_value()) parts.push_back(absl::StrCat(what, " ", Number(*a), " s against ", Number(*b), " s"));
  };
  add("median time to open", &Figures::time_to_open_s);
  add("median blocking latency", &Figures::blocking_latency_s);
  return parts.empty() ? "" : absl::StrCat(" (", absl::StrJoin(parts, ", "), ")");
}

std::string Sentence(const EntryRatio& loss, const Runs& runs) {
  const SeedFigures& ours = runs.Find(loss.entry, OursAt(loss.rho));
  const SeedFigures& theirs = runs.Find(loss.entry, loss.best_arm);
  const bool sure = loss.ratio.low > 1;
  return absl::StrCat("At rho ", loss.rho, " ours costs ", Number(loss.ours), " good calls, ", loss.best_arm, " ", Number(loss.best),
                      ": ratio ", Number(loss.ratio.value), ", 95 % interval ", Number(loss.ratio.low), " to ", Number(loss.ratio.high),
                      sure ? "" : ", which holds 1", ". Ours has ", Difference(MeanWasted(ours), MeanWasted(theirs), "wasted attempts"),
                      " and ", Difference(MeanGoodRejected(ours), MeanGoodRejected(theirs), "good calls rejected"), " per run",
                      Delays(ours, theirs), ".");
}

std::string BehindWideGrid(const std::vector<EntryRatio>& ratios, const Runs& runs) {
  std::vector<std::string> behind;
  std::size_t compared = 0;
  for (const EntryRatio& entry : ratios) {
    const std::optional<double> ratio = WideGridRatio(entry.entry, entry.rho, runs);
    if (!ratio.has_value()) continue;
    ++compared;
    if (*ratio > 1) behind.push_back(absl::StrCat(entry.entry, " at rho ", entry.rho, " (", Number(*ratio), ")"));
  }
  if (behind.empty()) return "";
  return absl::StrCat("<p>Against the best of the wide grid, again in hindsight, ours costs more in ", behind.size(), " of ", compared,
                      " pairs: ", Escape(absl::StrJoin(behind, ", ")), ".</p>\n");
}

std::string BehindNoBreaker(const Runs& runs) {
  const auto goodput = [](const Figures& f) { return f.goodput(); };
  std::vector<std::string> behind;
  for (const std::string& scenario : runs.scenarios()) {
    const SeedFigures& ours = runs.Find(scenario, kOurs);
    const SeedFigures& none = runs.Find(scenario, kNone);
    if (ours.empty() || none.empty()) continue;
    const double difference = Mean(none, goodput) - Mean(ours, goodput);
    if (difference >= kGoodputNoticed) behind.push_back(absl::StrCat(scenario, " (", Number(100 * difference), " points)"));
  }
  if (behind.empty()) return "";
  return absl::StrCat("<p>On goodput alone, without counting what it wastes, no breaker at all is ahead of ours in ",
                      Escape(absl::StrJoin(behind, ", ")), ".</p>\n");
}

}  // namespace

std::string LossesHtml(const std::vector<EntryRatio>& ratios, const std::vector<Scenario>& scenarios, const Runs& runs) {
  std::vector<EntryRatio> losses;
  for (const EntryRatio& ratio : ratios) {
    if (ratio.ratio.value > 1) losses.push_back(ratio);
  }
  std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) { return a.ratio.value > b.ratio.value; });
  std::string html;
  if (ratios.empty()) {
    absl::StrAppend(&html, "<p>Ours and the 20 standard configurations did not all run, so they cannot be compared.</p>\n");
  } else if (losses.empty()) {
    absl::StrAppend(&html, "<p>In none of these entries does ours cost more than the best standard configuration.</p>\n");
  } else {
    absl::StrAppend(
        &html, "<p>In ", losses.size(), " of ", ratios.size(),
        " pairs of entry and rho, ours costs more than the standard configuration that is best there in hindsight:</p>\n<ul>\n");
  }
  std::vector<std::string> done;
  for (const EntryRatio& worst : losses) {
    if (std::find(done.begin(), done.end(), worst.entry) != done.end()) continue;
    done.push_back(worst.entry);
    absl::StrAppend(&html, "<li><b>", Escape(worst.entry), "</b>, ", Escape(TitleOf(scenarios, worst.entry)), "\n<ul>\n");
    for (const EntryRatio& loss : losses) {
      if (loss.entry == worst.entry) absl::StrAppend(&html, "<li>", Escape(Sentence(loss, runs)), "</li>\n");
    }
    absl::StrAppend(&html, "</ul></li>\n");
  }
  if (!losses.empty()) absl::StrAppend(&html, "</ul>\n");
  return absl::StrCat(html, BehindWideGrid(ratios, runs), BehindNoBreaker(runs));
}

}  // namespace recloser::sim::report
