#include "json.h"

#include <google/protobuf/util/json_util.h>

#include "protobuf_versions.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {

std::string ToJson(const google::protobuf::Message& message, JsonFields fields) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  PrintDefaults(options, fields == JsonFields::kAll);
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  return status.ok() ? json : "{}";
}

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
