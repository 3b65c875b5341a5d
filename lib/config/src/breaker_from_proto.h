// Breakers of the policy schema.
#ifndef RECLOSER_CONFIG_SRC_BREAKER_FROM_PROTO_H_
#define RECLOSER_CONFIG_SRC_BREAKER_FROM_PROTO_H_

#include "absl/strings/string_view.h"
#include "recloser/config/policies.h"
#include "recloser/config/v1/policies.pb.h"
#include "recloser/core/breaker_options.h"
#include "recloser/core/validation.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// `mode`: where the message has none. Problems go to `parent`, with the message's path.
BreakerOptions BreakerFromProto(const config::v1::Breaker& from, BreakerMode mode, const PolicyParts& parts, absl::string_view path,
                                Validator* parent);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CONFIG_SRC_BREAKER_FROM_PROTO_H_
