// Who may ask, and who may change something.
//
// Thread safety: pure functions.
#ifndef RECLOSER_PAGE_SRC_ACCESS_H_
#define RECLOSER_PAGE_SRC_ACCESS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "http.h"

namespace recloser::page {

/// An IPv4 or IPv6 address, without brackets.
bool IsIpAddress(absl::string_view text);

/// The Host header names an IP address, "localhost", or one of `allowed`; with or without a port. Another name may be a foreign site's
/// whose DNS was pointed here, so that the browser takes this page for that site's own (DNS rebinding); an address cannot be.
bool IsTrustedHost(absl::string_view host, const std::vector<std::string>& allowed);

/// No Origin header (not a browser), or that of the page itself. The scheme may differ, where something in front of the page speaks TLS.
bool IsSameOrigin(const HttpRequest& request);

/// "Bearer TOKEN", compared in a time that does not depend on where they differ.
bool HasToken(absl::string_view authorization, absl::string_view token);

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_ACCESS_H_
