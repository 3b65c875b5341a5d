#include "json_object.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

using google::protobuf::ListValue;
using google::protobuf::Value;

const Value* JsonObject::Find(const std::string& name) {
  read_.insert(name);
  const auto found = object_.fields().find(name);
  return found == object_.fields().end() || found->second.has_null_value() ? nullptr : &found->second;
}

const ListValue* JsonObject::FindList(const std::string& name) {
  const Value* const value = Find(name);
  if (value == nullptr) return nullptr;
  if (value->has_list_value()) return &value->list_value();
  Refuse(name, *value, "must be a list");
  return nullptr;
}

void JsonObject::Refuse(const std::string& name, const Value& value, const char* allowed) const {
  std::string shown;
  if (!google::protobuf::util::MessageToJsonString(value, &shown).ok()) shown = "this";
  v_->Require(false, Path(name), shown, allowed);
}

std::optional<std::string> JsonObject::Text(const std::string& name) {
  const Value* const value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->has_string_value()) return value->string_value();
  Refuse(name, *value, "must be a text");
  return std::nullopt;
}

std::optional<double> JsonObject::Number(const std::string& name) {
  const Value* const value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->has_number_value()) return value->number_value();
  Refuse(name, *value, "must be a number");
  return std::nullopt;
}

std::optional<google::protobuf::Duration> JsonObject::Duration(const std::string& name) {
  const Value* const value = Find(name);
  if (value == nullptr) return std::nullopt;
  google::protobuf::Duration duration;
  if (value->has_string_value() && google::protobuf::util::TimeUtil::FromString(value->string_value(), &duration)) return duration;
  Refuse(name, *value, "must be a duration such as \"1.5s\"");
  return std::nullopt;
}

std::optional<JsonObject> JsonObject::Object(const std::string& name) {
  const Value* const value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->has_struct_value()) return JsonObject(value->struct_value(), Path(name), v_);
  Refuse(name, *value, "must be an object");
  return std::nullopt;
}

std::vector<JsonObject> JsonObject::Objects(const std::string& name) {
  std::vector<JsonObject> objects;
  const ListValue* const list = FindList(name);
  for (int i = 0; list != nullptr && i < list->values_size(); ++i) {
    const std::string element = absl::StrCat(name, "[", i, "]");
    if (list->values(i).has_struct_value()) {
      objects.emplace_back(list->values(i).struct_value(), Path(element), v_);
    } else {
      Refuse(element, list->values(i), "must be an object");
    }
  }
  return objects;
}

std::vector<std::string> JsonObject::Words(const std::string& name) {
  std::vector<std::string> words;
  const ListValue* const list = FindList(name);
  for (int i = 0; list != nullptr && i < list->values_size(); ++i) {
    const Value& value = list->values(i);
    if (value.has_string_value()) {
      words.push_back(value.string_value());
    } else if (value.has_number_value()) {
      words.push_back(absl::StrCat(value.number_value()));
    } else {
      Refuse(absl::StrCat(name, "[", i, "]"), value, "must be a text or a number");
    }
  }
  return words;
}

std::vector<std::string> JsonObject::Unread() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : object_.fields()) {
    if (read_.count(name) == 0) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
