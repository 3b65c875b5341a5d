// Strings that are not UTF-8: protobuf's text format lets them pass, everything that prints a message would fail on them later.
#ifndef RECLOSER_CONFIG_SRC_INVALID_UTF8_H_
#define RECLOSER_CONFIG_SRC_INVALID_UTF8_H_

#include <google/protobuf/message.h>

#include <optional>
#include <string>

#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// The path of the first such field: "method_config[1].name[0].service".
std::optional<std::string> FindInvalidUtf8(const google::protobuf::Message& message);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CONFIG_SRC_INVALID_UTF8_H_
