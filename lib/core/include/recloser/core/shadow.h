// Shadow mode: what a breaker would have done, counted, while it blocks nothing.
//
// Two forms, one machine. Alone: `MethodPolicy::breaker` in mode kShadow, nothing is enforced. Beside: `MethodPolicy::shadow_breaker` runs
// with its own options next to an enforced breaker.
//
//   BreakerSnapshot s = Registry::Global()->Find("dns:///orders:443", "orders.Orders/Get#shadow")->Snapshot(recloser::Now());
//   if (s.shadow) std::cout << ExplainShadow(*s.shadow) << '\n';
//
// What the counts can tell and what not. The shadow learns, as if it were enforced, only from attempts that it would have admitted.
//   * Alone, every refusal has a result: the attempt is made in spite of it. But the service gets the whole load, so what enforcing would
//     have relieved it of does not show, and retries of attempts that would have been refused are counted as further attempts.
//   * Beside an enforced breaker an attempt that this one refuses is not made and has no result: for the shadow it is offered load, its
//     answer is counted, and that is all. While the enforced breaker is open, the shadow sees nothing but the attempts that this one
//     admits. So a shadow that opens earlier, or closes later, is judged on facts; of one that opens later nothing is known beyond that it
//     had not opened when the enforced one did: `only_enforced_rejects` is the most it could have admitted.
//
// Thread safety: values.
#ifndef RECLOSER_CORE_SHADOW_H_
#define RECLOSER_CORE_SHADOW_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_API {

enum class ShadowAgreement { kBothAdmit, kBothReject, kOnlyShadowRejects, kOnlyEnforcedRejects };
inline constexpr int kShadowAgreements = 4;
/// "both_admit", "both_reject", "only_shadow_rejects", "only_enforced_rejects"
absl::string_view ShadowAgreementName(ShadowAgreement agreement);

/// What was said to one attempt.
struct ShadowDecision {
  /// The attempt is refused indeed. Never without an enforced breaker.
  bool enforced_rejects = false;
  /// The shadow would have refused it.
  bool shadow_rejects = false;

  ShadowAgreement agreement() const;
};

/// Counters only grow. Attempts, not calls: a call with two retries counts three times.
struct ShadowCounts {
  // Decisions, by who would have refused.
  std::uint64_t both_admit = 0;
  std::uint64_t both_reject = 0;
  std::uint64_t only_shadow_rejects = 0;
  std::uint64_t only_enforced_rejects = 0;

  // Attempts that were made and ended: bad = failed or slow, good = neither; ignored ones are in none of these.
  std::uint64_t bad = 0;
  std::uint64_t good = 0;
  std::uint64_t would_save = 0;         // of `bad`, those that the shadow would have refused
  std::uint64_t would_refuse_good = 0;  // of `good`, the same

  std::uint64_t decisions() const { return agree() + disagree(); }
  std::uint64_t would_reject() const { return both_reject + only_shadow_rejects; }
  std::uint64_t agree() const { return both_admit + both_reject; }
  std::uint64_t disagree() const { return only_shadow_rejects + only_enforced_rejects; }

  void Count(const ShadowDecision& decision);
};

/// A sentence for people: "if you enforced this now: it would have spared the service 290 of 300 failing or slow attempts and refused 15 of
/// 11600 good ones, ...".
std::string ExplainShadow(const ShadowCounts& counts);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_SHADOW_H_
