#include "report/figure.h"

#include "absl/strings/str_cat.h"
#include "report/text.h"

namespace recloser::sim::report {

std::string Figure(absl::string_view title, absl::string_view svg, const std::vector<LegendEntry>& legend, absl::string_view note) {
  std::string html = absl::StrCat("<figure>\n<h4>", Escape(title), "</h4>\n", svg, "<figcaption>");
  for (const LegendEntry& entry : legend) {
    absl::StrAppend(&html, "<span class=\"entry\"><i class=\"key ", entry.look, "\"></i>", Escape(entry.text), "</span> ");
  }
  if (!note.empty()) absl::StrAppend(&html, "<span class=\"note\">", Escape(note), "</span>");
  absl::StrAppend(&html, "</figcaption>\n</figure>\n");
  return html;
}

std::string ArmLook(std::size_t place) { return absl::StrCat("arm", place); }

const char* RatioLook(double ratio) {
  constexpr double kRounded = 0.005;
  return ratio > 1 + kRounded ? "worse" : ratio < 1 - kRounded ? "better" : "even";
}

}  // namespace recloser::sim::report
