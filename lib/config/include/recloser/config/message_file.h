// Files that people write, read into protobuf messages: whole, or refused with one line that says why.
//
//   v1::FaultPlan plan;
//   absl::Status status = ReadMessageFile("plan.json", "plan", &plan);
//   // INVALID_ARGUMENT: plan.json: not a plan: length: given twice
//
// JSON and protobuf's text format; unknown keys, wrong types and keys that are given twice are refused. What the fields mean is the
// caller's to check. Thread safety: pure functions; a message belongs to its caller.
#ifndef RECLOSER_CONFIG_MESSAGE_FILE_H_
#define RECLOSER_CONFIG_MESSAGE_FILE_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_API {

enum class FileFormat { kJson, kText };

/// `kind`: what the text should be, for the error: "not a <kind>: ...". On an error `message` holds nothing of use.
absl::Status ParseMessage(absl::string_view text, FileFormat format, absl::string_view kind, google::protobuf::Message* message);

/// The same from a file. The format follows from the name: .json, or for the text format .txtpb, .textproto or .pbtxt. Errors begin with
/// the path; NOT_FOUND when the file can't be read.
absl::Status ReadMessageFile(const std::string& path, absl::string_view kind, google::protobuf::Message* message);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CONFIG_MESSAGE_FILE_H_
