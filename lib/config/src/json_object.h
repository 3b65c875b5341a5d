// Reading JSON objects that have no schema of ours, with the path of what is wrong.
#ifndef RECLOSER_CONFIG_SRC_JSON_OBJECT_H_
#define RECLOSER_CONFIG_SRC_JSON_OBJECT_H_

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/struct.pb.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "recloser/core/validation.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// One object and its path. Nothing is returned for what is absent, or of the wrong type, which the validator is told. Must not outlive the
/// object.
class JsonObject {
 public:
  JsonObject(const google::protobuf::Struct& object, std::string path, Validator* v) : object_(object), path_(std::move(path)), v_(v) {}

  std::optional<std::string> Text(const std::string& name);
  std::optional<double> Number(const std::string& name);
  std::optional<google::protobuf::Duration> Duration(const std::string& name);
  std::optional<JsonObject> Object(const std::string& name);
  /// The elements of a list, which must be objects.
  std::vector<JsonObject> Objects(const std::string& name);
  /// The elements of a list of texts or whole numbers, as texts.
  std::vector<std::string> Words(const std::string& name);

  bool Has(const std::string& name) const { return object_.fields().count(name) > 0; }
  /// "methodConfig[0].timeout".
  std::string Path(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }
  const std::string& path() const { return path_; }
  /// The fields that nobody asked for yet, in the order of their names.
  std::vector<std::string> Unread() const;

 private:
  const google::protobuf::Value* Find(const std::string& name);
  const google::protobuf::ListValue* FindList(const std::string& name);
  void Refuse(const std::string& name, const google::protobuf::Value& value, const char* allowed) const;

  const google::protobuf::Struct& object_;
  const std::string path_;
  Validator* const v_;
  std::set<std::string> read_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CONFIG_SRC_JSON_OBJECT_H_
