// Policy files: whatever is read is valid, and written out and read again it is the same.
#include <cstdint>
#include <string>

#include "file_text.h"
#include "recloser/config/policies.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace recloser;
  fuzz::FuzzInput input(data, size);
  const fuzz::FileText file(input);
  const absl::StatusOr<PolicySet> set = ParsePolicies(file.text, file.format);
  if (!set.ok()) {
    fuzz::CheckRefusal(set.status());
    return 0;
  }
  FUZZ_CHECK(set->Validate().ok());
  const std::string json = PolicySetToJson(*set);
  const absl::StatusOr<PolicySet> again = ParsePolicies(json, FileFormat::kJson);
  FUZZ_CHECK(again.ok());
  FUZZ_CHECK(PolicySetToJson(*again) == json);
  return 0;
}
