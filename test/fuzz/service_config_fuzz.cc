// gRPC's service configs: what converts is a policy file that says the same; what a resolver sends never does harm.
#include <cstdint>
#include <string>

#include "file_text.h"
#include "recloser/config/policies.h"
#include "recloser/config/service_config.h"
#include "service_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace recloser;
  fuzz::FuzzInput input(data, size);
  const std::string json(input.Rest());
  const bool retries = ServiceConfigRetries(json, "a.B", "C");
  const absl::StatusOr<ConvertedServiceConfig> converted = ConvertServiceConfig(json);
  if (!converted.ok()) {
    fuzz::CheckRefusal(converted.status());
    return 0;
  }
  FUZZ_CHECK(converted->policies.Validate().ok());
  const absl::StatusOr<PolicySet> read = ParsePolicies(converted->json, FileFormat::kJson);
  FUZZ_CHECK(read.ok());
  PolicySet set;
  set.defaults = converted->policies;
  FUZZ_CHECK(PolicySetToJson(*read) == PolicySetToJson(set));
  for (const std::string& note : converted->notes) FUZZ_CHECK(!note.empty());
  if (retries) FUZZ_CHECK(converted->policies.For("a.B", "C").retry.mode == RetryMode::kAlways);
  return 0;
}
