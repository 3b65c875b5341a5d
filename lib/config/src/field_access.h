// Plain fields of messages, by name, through protobuf's reflection.
#ifndef RECLOSER_CONFIG_SRC_FIELD_ACCESS_H_
#define RECLOSER_CONFIG_SRC_FIELD_ACCESS_H_

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/message.h>

#include <optional>
#include <type_traits>
#include <variant>

#include "absl/strings/string_view.h"
#include "policy_fields.h"
#include "recloser/core/time.h"
#include "recloser/core/validation.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// One field of one message, for reading: whether it is there, and its value. Problems go to the validator, and the value stays.
class FieldReader {
 public:
  /// The message has the field.
  FieldReader(const google::protobuf::Message& message, const char* name, Validator* v);

  bool present() const;
  void Get(bool* value) const;
  void Get(int* value) const;
  void Get(double* value) const;
  void Get(Duration* value) const;
  void Get(std::optional<Duration>* value) const;
  template <class Enum, std::enable_if_t<std::is_enum_v<Enum>, int> = 0>
  void Get(Enum* value) const {
    int number = static_cast<int>(*value);
    GetEnum(&number);
    *value = static_cast<Enum>(number);
  }

 private:
  void GetEnum(int* number) const;

  const google::protobuf::Message& message_;
  const google::protobuf::FieldDescriptor* const field_;
  Validator* const v_;
};

class FieldWriter {
 public:
  FieldWriter(google::protobuf::Message* message, const char* name);

  void Set(bool value) const;
  void Set(int value) const;
  void Set(double value) const;
  void Set(Duration value) const;
  void Set(const std::optional<Duration>& value) const;
  template <class Enum, std::enable_if_t<std::is_enum_v<Enum>, int> = 0>
  void Set(Enum value) const {
    SetEnum(static_cast<int>(value));
  }

 private:
  void SetEnum(int number) const;

  google::protobuf::Message* const message_;
  const google::protobuf::FieldDescriptor* const field_;
};

/// Takes over the fields that are there.
template <class Options>
void ReadFields(const google::protobuf::Message& from, Validator* v, Options* to) {
  for (const PolicyField<Options>& field : PolicyFields<Options>()) {
    const FieldReader reader(from, field.name, v);
    if (reader.present()) std::visit([&](const auto member) { reader.Get(&(to->*member)); }, field.member);
  }
}

/// The same of a message that is the field `name` of what `parent` validates.
template <class Options>
void ReadNestedFields(absl::string_view name, const google::protobuf::Message& from, Validator* parent, Options* to) {
  Validator v(parent->Path(name));
  ReadFields(from, &v, to);
  parent->Nested(v.status());
}

template <class Options>
void WriteFields(const Options& from, google::protobuf::Message* to) {
  for (const PolicyField<Options>& field : PolicyFields<Options>()) {
    const FieldWriter writer(to, field.name);
    std::visit([&](const auto member) { writer.Set(from.*member); }, field.member);
  }
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CONFIG_SRC_FIELD_ACCESS_H_
