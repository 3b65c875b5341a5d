#include "service_config.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

const Value* Field(const Struct& object, const std::string& name) {
  const auto it = object.fields().find(name);
  return it == object.fields().end() ? nullptr : &it->second;
}

absl::string_view Text(const Struct& object, const std::string& name) {
  const Value* value = Field(object, name);
  return value == nullptr ? absl::string_view() : absl::string_view(value->string_value());
}

/// How closely a name entry fits: 3 the method, 2 the service, 1 everything, 0 not at all.
int Fit(const Struct& name, absl::string_view service, absl::string_view method) {
  const absl::string_view of_service = Text(name, "service");
  const absl::string_view of_method = Text(name, "method");
  if (of_service.empty()) return of_method.empty() ? 1 : 0;
  if (of_service != service) return 0;
  if (of_method.empty()) return 2;
  return of_method == method ? 3 : 0;
}

}  // namespace

bool ServiceConfigRetries(const std::string& json, absl::string_view service, absl::string_view method) {
  if (json.find("retryPolicy") == std::string::npos) return false;  // nearly always
  Struct config;
  if (!google::protobuf::util::JsonStringToMessage(json, &config).ok()) return false;
  const Value* entries = Field(config, "methodConfig");
  if (entries == nullptr) return false;
  int best = 0;
  bool retries = false;
  for (const Value& entry : entries->list_value().values()) {
    const Value* names = Field(entry.struct_value(), "name");
    if (names == nullptr) continue;
    for (const Value& name : names->list_value().values()) {
      const int fit = Fit(name.struct_value(), service, method);
      if (fit <= best) continue;
      best = fit;
      retries = Field(entry.struct_value(), "retryPolicy") != nullptr;
    }
  }
  return retries;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
