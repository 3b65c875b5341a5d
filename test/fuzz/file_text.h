// A file's text out of a fuzzer's bytes: the first byte says in which format the rest is.
#ifndef RECLOSER_TEST_FUZZ_FILE_TEXT_H_
#define RECLOSER_TEST_FUZZ_FILE_TEXT_H_

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "fuzz_input.h"
#include "recloser/config/message_file.h"

namespace recloser::fuzz {

struct FileText {
  explicit FileText(FuzzInput& input) : format(input.Byte() == 't' ? FileFormat::kText : FileFormat::kJson), text(input.Rest()) {}

  const FileFormat format;
  const absl::string_view text;
};

/// Who is refused is told why, in one line.
inline void CheckRefusal(const absl::Status& status) {
  FUZZ_CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  FUZZ_CHECK(!status.message().empty());
  FUZZ_CHECK(!absl::StrContains(status.message(), "\n"));
  FUZZ_CHECK(absl::StrContains(status.message(), ": "));  // "field: value is not allowed; ...", "not a plan: field: ..."
}

/// The message as a file of the given format.
inline std::string Print(const google::protobuf::Message& message, FileFormat format) {
  std::string text;
  if (format == FileFormat::kText) {
    FUZZ_CHECK(google::protobuf::TextFormat::PrintToString(message, &text));
  } else {
    FUZZ_CHECK(google::protobuf::util::MessageToJsonString(message, &text).ok());
  }
  return text;
}

}  // namespace recloser::fuzz

#endif  // RECLOSER_TEST_FUZZ_FILE_TEXT_H_
