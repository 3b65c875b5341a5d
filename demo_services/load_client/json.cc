#include "demo_services/load_client/json.h"

#include <google/protobuf/util/json_util.h>

#include <fstream>

#include "protobuf_versions.h"

namespace recloser::demo {
namespace {

std::string ToJson(const google::protobuf::Message& message, bool indented) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = indented;
  PrintDefaults(options);
  options.preserve_proto_field_names = true;
  std::string json;
  (void)google::protobuf::util::MessageToJsonString(message, &json, options);  // fails for malformed messages of dynamic types only
  return json;
}

}  // namespace

std::string ToJsonLine(const google::protobuf::Message& message) { return ToJson(message, false); }

bool WriteJsonFile(const std::string& path, const google::protobuf::Message& message) {
  std::ofstream file(path, std::ios::trunc);
  file << ToJson(message, true) << std::flush;
  return file.good();
}

bool FromJson(const std::string& json, google::protobuf::Message* message) {
  return google::protobuf::util::JsonStringToMessage(json, message).ok();
}

}  // namespace recloser::demo
