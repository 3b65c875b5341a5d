#include "invalid_utf8.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "recloser/core/utf8.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool IsUtf8(absl::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// Below one value of `field`; `index`: -1 when it is not repeated. "" for the value itself.
std::optional<std::string> FindIn(const Message& message, const FieldDescriptor* field, int index) {
  const Reflection& reflection = *message.GetReflection();
  if (field->type() == FieldDescriptor::TYPE_STRING) {
    const std::string text = index < 0 ? reflection.GetString(message, field) : reflection.GetRepeatedString(message, field, index);
    return IsUtf8(text) ? std::nullopt : std::optional<std::string>("");
  }
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return std::nullopt;
  std::optional<std::string> path =
      FindInvalidUtf8(index < 0 ? reflection.GetMessage(message, field) : reflection.GetRepeatedMessage(message, field, index));
  if (path.has_value()) path = absl::StrCat(".", *path);
  return path;
}

}  // namespace

std::optional<std::string> FindInvalidUtf8(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? message.GetReflection()->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      const std::optional<std::string> path = FindIn(message, field, field->is_repeated() ? i : -1);
      if (path.has_value()) return absl::StrCat(field->name(), field->is_repeated() ? absl::StrCat("[", i, "]") : "", *path);
    }
  }
  return std::nullopt;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
