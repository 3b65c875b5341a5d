// Messages as JSON. Thread safety: pure.
#ifndef RECLOSER_EVENTS_SRC_JSON_H_
#define RECLOSER_EVENTS_SRC_JSON_H_

#include <google/protobuf/message.h>

#include <string>

#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {

enum class JsonFields {
  kSet,  // fields that are not set are left out
  kAll,  // but for `optional` ones, fields are there always
};

/// One line, without its end; field names as in the schema. "{}" when the message can't be printed, which valid text and dates don't do.
std::string ToJson(const google::protobuf::Message& message, JsonFields fields);

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_EVENTS_SRC_JSON_H_
