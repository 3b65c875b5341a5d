#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "duplicate_keys.h"
#include "recloser/sim/scenario.h"
#include "scenario_check.h"

namespace recloser::sim {
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

absl::Status NotAScenario(absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrReplaceAll(absl::StrCat("not a scenario: ", message), {{"\n", " "}, {"\r", " "}}));
}

absl::Status Parse(absl::string_view text, ScenarioFormat format, v1::Scenario* scenario) {
  if (format == ScenarioFormat::kJson) {
    const auto status = google::protobuf::util::JsonStringToMessage(google::protobuf::StringPiece(text.data(), text.size()), scenario);
    if (!status.ok()) return NotAScenario(status.message().ToString());
    // Protobuf takes the last one of two equal keys.
    if (const std::optional<std::string> key = FindDuplicateKey(text)) return NotAScenario(absl::StrCat(*key, ": given twice"));
    return absl::OkStatus();
  }
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  return parser.ParseFromString(std::string(text), scenario) ? absl::OkStatus() : NotAScenario(error.text());
}

}  // namespace

absl::StatusOr<Scenario> ParseScenario(absl::string_view text, ScenarioFormat format) {
  v1::Scenario scenario;
  if (absl::Status status = Parse(text, format, &scenario); !status.ok()) return status;
  if (absl::Status status = CheckScenario(scenario); !status.ok()) return status;
  return FromProto(scenario);
}

absl::StatusOr<Scenario> ReadScenarioFile(const std::string& path) {
  ScenarioFormat format = ScenarioFormat::kText;
  if (absl::EndsWith(path, ".json")) {
    format = ScenarioFormat::kJson;
  } else if (!absl::EndsWith(path, ".txtpb") && !absl::EndsWith(path, ".textproto") && !absl::EndsWith(path, ".pbtxt")) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": a scenario's name must end in .json, .txtpb, .textproto or .pbtxt"));
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file.is_open() || !(text << file.rdbuf())) return absl::NotFoundError(absl::StrCat(path, ": cannot be read, or is empty"));
  absl::StatusOr<Scenario> scenario = ParseScenario(text.str(), format);
  if (!scenario.ok()) return absl::Status(scenario.status().code(), absl::StrCat(path, ": ", scenario.status().message()));
  return scenario;
}

}  // namespace recloser::sim
