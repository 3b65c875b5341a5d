// A breaker's options as names and values for people, by the names that the API has.
#ifndef RECLOSER_PAGE_SRC_SETTINGS_H_
#define RECLOSER_PAGE_SRC_SETTINGS_H_

#include <string>
#include <utility>
#include <vector>

#include "recloser/core/breaker_options.h"

namespace recloser::page {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// All fields, in the order of the structs.
Settings SettingsOf(const BreakerOptions& options);

/// "adaptive", "standard", or the custom breaker's name.
std::string KindOf(const BreakerOptions& options);

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_SETTINGS_H_
