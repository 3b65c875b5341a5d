// Two equal keys in one object of a JSON text. Thread safety: pure.
#ifndef RECLOSER_CONFIG_SRC_DUPLICATE_KEYS_H_
#define RECLOSER_CONFIG_SRC_DUPLICATE_KEYS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// The first key that its object has already. `json` must be well-formed. Keys are compared as protobuf does, the same in
/// snake_case and lowerCamelCase; escapes are compared as written.
std::optional<std::string> FindDuplicateKey(absl::string_view json);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CONFIG_SRC_DUPLICATE_KEYS_H_
