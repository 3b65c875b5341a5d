// gRPC's service config (https://github.com/grpc/grpc/blob/master/doc/service_config.md), as far as Recloser has the same.
//
//   absl::StatusOr<ConvertedServiceConfig> converted = ConvertServiceConfig(R"({"methodConfig": [{"name": [{}], "timeout": "2s"}]})");
//   std::ofstream("policies.json") << converted->json;
//   for (const std::string& note : converted->notes) std::cerr << note << '\n';
//
// `timeout` becomes `deadline`, `retryPolicy` `retry`, `retryThrottling` `retry_budget`; methods without a `retryPolicy` are not retried,
// as with gRPC. Thread safety: pure functions; values.
#ifndef RECLOSER_CONFIG_SERVICE_CONFIG_H_
#define RECLOSER_CONFIG_SERVICE_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "recloser/core/export.h"
#include "recloser/core/policies.h"

namespace recloser {
inline namespace RECLOSER_API {

struct ConvertedServiceConfig {
  /// A policy file with what the service config says, and no more.
  std::string json;
  /// The same, read.
  Policies policies;
  /// What has no equivalent, or differs: one line each, with the path of the service config's field.
  std::vector<std::string> notes;
};

/// INVALID_ARGUMENT, with the path of the field, for JSON that is no service config, and for values that no policy may have.
absl::StatusOr<ConvertedServiceConfig> ConvertServiceConfig(absl::string_view json);

/// The same from a file. Errors begin with the path; NOT_FOUND when it can't be read.
absl::StatusOr<ConvertedServiceConfig> ReadServiceConfig(const std::string& path);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CONFIG_SERVICE_CONFIG_H_
