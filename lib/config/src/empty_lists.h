// Lists that are written out and empty: once parsed they look like lists that are absent, which have defaults.
#ifndef RECLOSER_CONFIG_SRC_EMPTY_LISTS_H_
#define RECLOSER_CONFIG_SRC_EMPTY_LISTS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// The field of the first "[]" in a well-formed JSON or text format message.
std::optional<std::string> FindEmptyList(absl::string_view text);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CONFIG_SRC_EMPTY_LISTS_H_
