// A breaker's options in a trace. Thread safety: pure functions.
#ifndef RECLOSER_EVENTS_SRC_BREAKER_CONFIG_H_
#define RECLOSER_EVENTS_SRC_BREAKER_CONFIG_H_

#include <memory>

#include "absl/status/statusor.h"
#include "recloser/core/breaker_options.h"
#include "recloser/events/v1/trace.pb.h"
#include "user_scores.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {

namespace v1 = events::v1;

/// Every field of the options but hooks.
v1::BreakerConfig ToMessage(const BreakerOptions& options);

/// The options again; metrics of the user answer from `scores`, and a kind of the user's own makes nothing. INVALID_ARGUMENT with the
/// field, its value and what is allowed.
absl::StatusOr<BreakerOptions> OptionsFromMessage(const v1::BreakerConfig& config, const std::shared_ptr<RecordedMetric::Scores>& scores);

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_EVENTS_SRC_BREAKER_CONFIG_H_
