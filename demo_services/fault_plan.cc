#include "demo_services/fault_plan.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace recloser::demo {
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

absl::Status OneLine(absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrReplaceAll(message, {{"\n", " "}, {"\r", " "}}));
}

}  // namespace

absl::StatusOr<v1::FaultPlan> ParsePlan(absl::string_view text, PlanFormat format) {
  v1::FaultPlan plan;
  if (format == PlanFormat::kJson) {
    // Of two equal keys protobuf takes the last one in a message, but refuses them in a map.
    google::protobuf::Struct keys;
    for (google::protobuf::Message* message :
         {static_cast<google::protobuf::Message*>(&plan), static_cast<google::protobuf::Message*>(&keys)}) {
      const auto status = google::protobuf::util::JsonStringToMessage(google::protobuf::StringPiece(text.data(), text.size()), message);
      if (!status.ok()) return OneLine(absl::StrCat("not a plan: ", status.message().ToString()));
    }
  } else {
    FirstError error;
    google::protobuf::TextFormat::Parser parser;
    parser.RecordErrorsTo(&error);
    if (!parser.ParseFromString(std::string(text), &plan)) return OneLine(absl::StrCat("not a plan: ", error.text()));
  }
  if (absl::Status status = CheckPlan(plan); !status.ok()) return status;
  return plan;
}

absl::StatusOr<v1::FaultPlan> ReadPlanFile(const std::string& path) {
  PlanFormat format = PlanFormat::kText;
  if (absl::EndsWith(path, ".json")) {
    format = PlanFormat::kJson;
  } else if (!absl::EndsWith(path, ".txtpb") && !absl::EndsWith(path, ".textproto") && !absl::EndsWith(path, ".pbtxt")) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": a plan's name must end in .json, .txtpb, .textproto or .pbtxt"));
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file.is_open() || !(text << file.rdbuf())) return absl::NotFoundError(absl::StrCat(path, ": cannot be read, or is empty"));
  absl::StatusOr<v1::FaultPlan> plan = ParsePlan(text.str(), format);
  if (!plan.ok()) return absl::Status(plan.status().code(), absl::StrCat(path, ": ", plan.status().message()));
  return plan;
}

}  // namespace recloser::demo
