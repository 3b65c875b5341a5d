// Text for a terminal of 100 columns.
#ifndef RECLOSER_DEMO_SERVICES_DEMO_TEXT_H_
#define RECLOSER_DEMO_SERVICES_DEMO_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace recloser::demo {

inline constexpr int kColumns = 100;

/// `text` in lines of at most kColumns, broken at blanks, each ended by a newline; all but the first are indented by `indent`.
std::string Wrap(absl::string_view text, int indent);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_DEMO_TEXT_H_
