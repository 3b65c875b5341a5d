// All plain fields of a message and its nested messages, for tests that must not forget one.
#ifndef RECLOSER_TEST_CONFIG_LEAVES_H_
#define RECLOSER_TEST_CONFIG_LEAVES_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace recloser {

/// A plain field, or a Duration, or one element of a list of them.
struct Leaf {
  std::string path;
  google::protobuf::Message* parent;
  const google::protobuf::FieldDescriptor* field;
  int index;  // -1: not a list
};

inline bool IsDuration(const google::protobuf::FieldDescriptor& field) {
  return field.message_type() != nullptr && field.message_type()->full_name() == "google.protobuf.Duration";
}

/// The leaves that are set.
inline void AddLeaves(google::protobuf::Message* message, const std::string& path, std::vector<Leaf>* leaves) {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  reflection.ListFields(*message, &fields);
  for (const google::protobuf::FieldDescriptor* const field : fields) {
    const int size = field->is_repeated() ? reflection.FieldSize(*message, field) : 1;
    for (int i = 0; i < size; ++i) {
      const std::string place = absl::StrCat(path, ".", field->name(), field->is_repeated() ? absl::StrCat("[", i, "]") : "");
      if (field->message_type() == nullptr || IsDuration(*field)) {
        leaves->push_back({place, message, field, field->is_repeated() ? i : -1});
      } else {
        AddLeaves(field->is_repeated() ? reflection.MutableRepeatedMessage(message, field, i) : reflection.MutableMessage(message, field),
                  place, leaves);
      }
    }
  }
}

inline std::vector<Leaf> Leaves(google::protobuf::Message* message) {
  std::vector<Leaf> leaves;
  AddLeaves(message, "", &leaves);
  return leaves;
}

/// Another value near by: `step` more of the smallest that matters. Texts stay.
inline void Nudge(const Leaf& leaf, int step) {
  using Field = google::protobuf::FieldDescriptor;
  google::protobuf::Message* const m = leaf.parent;
  const google::protobuf::Reflection& r = *m->GetReflection();
  switch (leaf.field->cpp_type()) {
    case Field::CPPTYPE_BOOL:
      r.SetBool(m, leaf.field, !r.GetBool(*m, leaf.field));
      break;
    case Field::CPPTYPE_INT32:
      r.SetInt32(m, leaf.field, r.GetInt32(*m, leaf.field) + step);
      break;
    case Field::CPPTYPE_DOUBLE:
      r.SetDouble(m, leaf.field, r.GetDouble(*m, leaf.field) + step * 0.001);
      break;
    case Field::CPPTYPE_ENUM: {
      const auto& type = *leaf.field->enum_type();
      const int number = leaf.index < 0 ? r.GetEnumValue(*m, leaf.field) : r.GetRepeatedEnumValue(*m, leaf.field, leaf.index);
      const int other = type.value((type.FindValueByNumber(number)->index() + 1) % type.value_count())->number();
      leaf.index < 0 ? r.SetEnumValue(m, leaf.field, other) : r.SetRepeatedEnumValue(m, leaf.field, leaf.index, other);
      break;
    }
    case Field::CPPTYPE_MESSAGE: {
      google::protobuf::Message* const duration = r.MutableMessage(m, leaf.field);
      const Field* const nanos = duration->GetDescriptor()->FindFieldByName("nanos");
      const int value = duration->GetReflection()->GetInt32(*duration, nanos);
      duration->GetReflection()->SetInt32(duration, nanos, value + step);
      break;
    }
    default:
      break;
  }
}

}  // namespace recloser

#endif  // RECLOSER_TEST_CONFIG_LEAVES_H_
