#include "policy_report.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/wrappers.pb.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "recloser/config/policies.h"

namespace recloser::tools {
namespace {

constexpr std::size_t kColumns = 100;
constexpr int kLabelWidth = 18;

/// `text` in lines that end before the last column; all but the first begin with `indent` spaces.
std::string Wrapped(absl::string_view head, absl::string_view text, std::size_t indent) {
  std::string out(head);
  std::size_t column = head.size();
  bool at_start = true;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (!at_start && column + 1 + word.size() > kColumns) {
      absl::StrAppend(&out, "\n", std::string(indent, ' '));
      column = indent;
      at_start = true;
    }
    absl::StrAppend(&out, at_start ? "" : " ", word);
    column += word.size() + (at_start ? 0 : 1);
    at_start = false;
  }
  return absl::StrCat(out, "\n");
}

std::string Line(absl::string_view label, absl::string_view text) {
  return Wrapped(absl::StrFormat("    %-*s", kLabelWidth, label), text, 4 + kLabelWidth);
}

std::string PolicyLines(absl::string_view title, const MethodPolicy& policy) {
  std::string text = absl::StrCat("  ", title, "\n");
  for (const auto& [label, value] : Describe(policy)) absl::StrAppend(&text, Line(label, value));
  return text;
}

std::string ChannelLines(absl::string_view title, const Policies& policies) {
  std::string text = absl::StrCat("\n", title, "\n", Wrapped("  retry budget        ", Describe(policies.retry_budget), 4 + kLabelWidth));
  absl::StrAppend(&text, PolicyLines("every method that is not named below", policies.defaults));
  for (const auto& [service, policy] : policies.services) absl::StrAppend(&text, PolicyLines(absl::StrCat("service ", service), policy));
  for (const auto& [method, policy] : policies.methods) absl::StrAppend(&text, PolicyLines(absl::StrCat("method ", method), policy));
  return text;
}

absl::string_view EntryOf(const Policies& policies, const std::string& service, const std::string& method) {
  if (policies.methods.count(absl::StrCat(service, "/", method)) > 0) return "its own entry";
  return policies.services.count(service) > 0 ? "its service's entry" : "the entry of every method";
}

std::string MethodLines(const Policies& policies, const google::protobuf::FileDescriptorSet& descriptors) {
  std::string text;
  for (const google::protobuf::FileDescriptorProto& file : descriptors.file()) {
    for (const google::protobuf::ServiceDescriptorProto& service : file.service()) {
      const std::string name = file.package().empty() ? service.name() : absl::StrCat(file.package(), ".", service.name());
      for (const google::protobuf::MethodDescriptorProto& method : service.method()) {
        absl::StrAppend(&text, "  ", name, "/", method.name(), " follows ", EntryOf(policies, name, method.name()), "\n");
      }
    }
  }
  return text;
}

std::string Quoted(const std::string& text) {
  google::protobuf::StringValue value;
  value.set_value(text);
  std::string json;
  return google::protobuf::util::MessageToJsonString(value, &json).ok() ? json : "\"\"";
}

std::string FileJson(const CheckedFile& file) {
  if (!file.status.ok())
    return absl::StrCat("{\"file\": ", Quoted(file.path), ", \"error\": ", Quoted(std::string(file.status.message())), "}");
  const auto item = [](std::string* out, const PolicyAdvice& advice) {
    absl::StrAppend(out, "{\"level\": ", Quoted(std::string(LevelName(advice.level))), ", \"where\": ", Quoted(advice.where),
                    ", \"text\": ", Quoted(advice.text), "}");
  };
  return absl::StrCat("{\"file\": ", Quoted(file.path), ", \"hash\": ", Quoted(file.hash), ", \"policies\": ", PolicySetToJson(file.set),
                      ", \"advice\": [", absl::StrJoin(file.advice, ",\n", item), "]}");
}

}  // namespace

std::string PolicyText(const CheckedFile& file, const google::protobuf::FileDescriptorSet* descriptors) {
  std::string text = absl::StrCat(file.path, ": good, hash ", file.hash, "\n");
  absl::StrAppend(&text, ChannelLines(file.set.targets.empty() ? "all targets" : "all targets but those below", file.set.defaults));
  if (descriptors != nullptr) absl::StrAppend(&text, MethodLines(file.set.defaults, *descriptors));
  for (const auto& [target, policies] : file.set.targets) {
    absl::StrAppend(&text, ChannelLines(absl::StrCat("target ", target), policies));
    if (descriptors != nullptr) absl::StrAppend(&text, MethodLines(policies, *descriptors));
  }
  if (!file.advice.empty()) absl::StrAppend(&text, "\n");
  for (const PolicyAdvice& advice : file.advice) {
    absl::StrAppend(&text, Wrapped("", absl::StrCat(LevelName(advice.level), ": ", advice.where, ": ", advice.text), 4));
  }
  return text;
}

std::string PolicyJson(const std::vector<CheckedFile>& files) {
  const auto item = [](std::string* out, const CheckedFile& file) { absl::StrAppend(out, FileJson(file)); };
  return absl::StrCat("{\"files\": [", absl::StrJoin(files, ",\n", item), "]}\n");
}

}  // namespace recloser::tools
