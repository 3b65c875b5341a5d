// Checked policy files as text and as JSON.
#ifndef RECLOSER_TOOLS_POLICY_REPORT_H_
#define RECLOSER_TOOLS_POLICY_REPORT_H_

#include <google/protobuf/descriptor.pb.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "recloser/config/policy_advice.h"
#include "recloser/core/policy_source.h"

namespace recloser::tools {

struct CheckedFile {
  std::string path;
  absl::Status status;  // not OK: only `path` is set
  std::string hash;
  PolicySet set;
  std::vector<PolicyAdvice> advice;
};

/// The policy that holds for each name, and the advice. At most 100 columns. `descriptors`: null, or the methods to be listed with their
/// entries.
std::string PolicyText(const CheckedFile& file, const google::protobuf::FileDescriptorSet* descriptors);

/// {"files": [{"file": ..., "hash": ..., "policies": <the whole set>, "advice": [{"level": ..., "where": ..., "text": ...}]}]}; for a bad
/// file {"file": ..., "error": ...}.
std::string PolicyJson(const std::vector<CheckedFile>& files);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_POLICY_REPORT_H_
