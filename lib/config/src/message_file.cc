#include "recloser/config/message_file.h"

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "duplicate_keys.h"
#include "invalid_utf8.h"
#include "protobuf_versions.h"
#include "text_file.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

class FirstError : public ParseErrorCollector {
 public:
  void OnError(int line, int column, absl::string_view message) override {
    if (text_.empty()) text_ = absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

absl::Status NotA(absl::string_view kind, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrReplaceAll(absl::StrCat("not a ", kind, ": ", why), {{"\n", " "}, {"\r", " "}}));
}

}  // namespace

absl::Status ParseMessage(absl::string_view text, FileFormat format, absl::string_view kind, google::protobuf::Message* message) {
  if (format == FileFormat::kJson) {
    // Protobuf takes the last one of two equal keys.
    if (const std::optional<std::string> key = FindDuplicateKey(text)) return NotA(kind, absl::StrCat(*key, ": given twice"));
    message->Clear();  // newer versions add to what is there
    const auto status = google::protobuf::util::JsonStringToMessage({text.data(), text.size()}, message);
    return status.ok() ? absl::OkStatus() : NotA(kind, std::string(status.message()));
  }
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(std::string(text), message)) return NotA(kind, error.text());
  if (const std::optional<std::string> path = FindInvalidUtf8(*message)) return NotA(kind, absl::StrCat(*path, ": not UTF-8"));
  return absl::OkStatus();
}

absl::Status ReadMessageFile(const std::string& path, absl::string_view kind, google::protobuf::Message* message) {
  const absl::StatusOr<TextFile> file = ReadTextFile(path, kind);
  if (!file.ok()) return file.status();
  return WithPath(path, ParseMessage(file->text, file->format, kind, message));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
