// Reading gRPC's service config, as far as retries go (https://github.com/grpc/grpc/blob/master/doc/service_config.md).
#ifndef RECLOSER_SERVICE_CONFIG_H_
#define RECLOSER_SERVICE_CONFIG_H_

#include <string>

#include "absl/strings/string_view.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// True when `json` has a `retryPolicy` in the entry that gRPC would use for "service/method". False for no or unreadable JSON.
bool ServiceConfigRetries(const std::string& json, absl::string_view service, absl::string_view method);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_SERVICE_CONFIG_H_
