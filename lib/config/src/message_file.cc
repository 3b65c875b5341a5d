#include "recloser/config/message_file.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "duplicate_keys.h"

namespace recloser {
namespace {

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

absl::Status NotA(absl::string_view kind, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrReplaceAll(absl::StrCat("not a ", kind, ": ", why), {{"\n", " "}, {"\r", " "}}));
}

std::optional<FileFormat> FormatOf(absl::string_view path) {
  if (absl::EndsWith(path, ".json")) return FileFormat::kJson;
  for (const char* const ending : {".txtpb", ".textproto", ".pbtxt"}) {
    if (absl::EndsWith(path, ending)) return FileFormat::kText;
  }
  return std::nullopt;
}

}  // namespace

absl::Status ParseMessage(absl::string_view text, FileFormat format, absl::string_view kind, google::protobuf::Message* message) {
  if (format == FileFormat::kJson) {
    const auto status = google::protobuf::util::JsonStringToMessage(google::protobuf::StringPiece(text.data(), text.size()), message);
    if (!status.ok()) return NotA(kind, status.message().ToString());
    // Protobuf takes the last one of two equal keys.
    if (const std::optional<std::string> key = FindDuplicateKey(text)) return NotA(kind, absl::StrCat(*key, ": given twice"));
    return absl::OkStatus();
  }
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  return parser.ParseFromString(std::string(text), message) ? absl::OkStatus() : NotA(kind, error.text());
}

absl::Status ReadMessageFile(const std::string& path, absl::string_view kind, google::protobuf::Message* message) {
  const std::optional<FileFormat> format = FormatOf(path);
  if (!format.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": a ", kind, "'s name must end in .json, .txtpb, .textproto or .pbtxt"));
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file.is_open() || !(text << file.rdbuf())) return absl::NotFoundError(absl::StrCat(path, ": cannot be read, or is empty"));
  const absl::Status status = ParseMessage(text.str(), *format, kind, message);
  return status.ok() ? status : absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

}  // namespace recloser
