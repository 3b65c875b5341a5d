#include "recloser/config/policies.h"

#include <google/protobuf/util/json_util.h>

#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "empty_lists.h"
#include "policy_messages.h"
#include "text_file.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr char kKind[] = "policy file";

}  // namespace

absl::StatusOr<PolicySet> ParsePolicies(absl::string_view text, FileFormat format, const PolicyParts& parts) {
  config::v1::PolicyFile file;
  if (absl::Status status = ParseMessage(text, format, kKind, &file); !status.ok()) return status;
  if (const std::optional<std::string> field = FindEmptyList(text)) {
    return absl::InvalidArgumentError(absl::StrCat(*field, ": an empty list is not allowed; leave the field out for its default"));
  }
  return PolicySetFromProto(file, parts);
}

absl::StatusOr<PolicySet> ReadPolicyFile(const std::string& path, const PolicyParts& parts) {
  const absl::StatusOr<TextFile> file = ReadTextFile(path, kKind);
  if (!file.ok()) return file.status();
  absl::StatusOr<PolicySet> set = ParsePolicies(file->text, file->format, parts);
  if (!set.ok()) return WithPath(path, set.status());
  return set;
}

std::string PolicyFileToJson(const config::v1::PolicyFile& file) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;  // as errors call them
  std::string json;
  // Without types that JSON can't hold there is no way to fail.
  (void)google::protobuf::util::MessageToJsonString(file, &json, options);
  return json;
}

std::string PolicySetToJson(const PolicySet& set) { return PolicyFileToJson(PolicySetToProto(set)); }

std::string PolicyHash(absl::string_view text) {
  // http://www.isthe.com/chongo/tech/comp/fnv/
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad16));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
