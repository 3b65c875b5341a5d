#include "recloser/core/shadow.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

absl::string_view ShadowAgreementName(ShadowAgreement agreement) {
  switch (agreement) {
    case ShadowAgreement::kBothAdmit:
      return "both_admit";
    case ShadowAgreement::kBothReject:
      return "both_reject";
    case ShadowAgreement::kOnlyShadowRejects:
      return "only_shadow_rejects";
    case ShadowAgreement::kOnlyEnforcedRejects:
      break;
  }
  return "only_enforced_rejects";
}

ShadowAgreement ShadowDecision::agreement() const {
  if (shadow_rejects) return enforced_rejects ? ShadowAgreement::kBothReject : ShadowAgreement::kOnlyShadowRejects;
  return enforced_rejects ? ShadowAgreement::kOnlyEnforcedRejects : ShadowAgreement::kBothAdmit;
}

void ShadowCounts::Count(const ShadowDecision& decision) {
  switch (decision.agreement()) {
    case ShadowAgreement::kBothAdmit:
      ++both_admit;
      return;
    case ShadowAgreement::kBothReject:
      ++both_reject;
      return;
    case ShadowAgreement::kOnlyShadowRejects:
      ++only_shadow_rejects;
      return;
    case ShadowAgreement::kOnlyEnforcedRejects:
      ++only_enforced_rejects;
      return;
  }
}

std::string ExplainShadow(const ShadowCounts& counts) {
  if (counts.decisions() == 0) return "if you enforced this now: nothing is known yet, no attempt has come";
  std::string text = absl::StrFormat(
      "if you enforced this now: it would have spared the service %d of %d failing or slow attempts and refused %d of %d good ones, in %d "
      "decisions",
      counts.would_save, counts.bad, counts.would_refuse_good, counts.good, counts.decisions());
  const std::uint64_t judged = counts.would_save + counts.would_refuse_good;
  if (counts.would_reject() > judged)
    absl::StrAppendFormat(&text, "; %d more refusals have no known result", counts.would_reject() - judged);
  // Without an enforced breaker, or before that has refused anything, there is nothing to agree with.
  if (counts.both_reject + counts.only_enforced_rejects > 0) {
    absl::StrAppendFormat(&text, "; it agreed with the enforced breaker in %d, would have refused alone in %d and admitted alone in %d",
                          counts.agree(), counts.only_shadow_rejects, counts.only_enforced_rejects);
  }
  return text;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
