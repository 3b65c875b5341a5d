#include "access.h"

#include <arpa/inet.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace recloser::page {
namespace {

/// The host of "host", "host:port", "[v6]" or "[v6]:port"; empty when it is none of these.
absl::string_view WithoutPort(absl::string_view authority) {
  const bool bracketed = absl::StartsWith(authority, "[");
  const std::size_t end = bracketed ? authority.find(']') : authority.find(':');
  if (bracketed && end == absl::string_view::npos) return "";
  absl::string_view host = authority.substr(bracketed ? 1 : 0, end == absl::string_view::npos ? end : end - (bracketed ? 1 : 0));
  absl::string_view rest = end == absl::string_view::npos ? "" : authority.substr(end + (bracketed ? 1 : 0));
  if (absl::ConsumePrefix(&rest, ":") ? !std::all_of(rest.begin(), rest.end(), absl::ascii_isdigit) : !rest.empty()) return "";
  return host;
}

}  // namespace

bool IsIpAddress(absl::string_view text) {
  in6_addr address;
  const std::string terminated(text);
  return inet_pton(AF_INET, terminated.c_str(), &address) == 1 || inet_pton(AF_INET6, terminated.c_str(), &address) == 1;
}

bool IsTrustedHost(absl::string_view host, const std::vector<std::string>& allowed) {
  const absl::string_view name = WithoutPort(host);
  if (name.empty()) return false;
  return IsIpAddress(name) || absl::EqualsIgnoreCase(name, "localhost") ||
         std::any_of(allowed.begin(), allowed.end(), [&](const std::string& one) { return absl::EqualsIgnoreCase(name, one); });
}

bool IsSameOrigin(const HttpRequest& request) {
  if (request.origin.empty()) return true;
  absl::string_view origin = request.origin;
  return (absl::ConsumePrefix(&origin, "http://") || absl::ConsumePrefix(&origin, "https://")) &&
         absl::EqualsIgnoreCase(origin, request.host);
}

bool HasToken(absl::string_view authorization, absl::string_view token) {
  if (token.empty() || !absl::StartsWithIgnoreCase(authorization, "Bearer ")) return false;
  const absl::string_view given = absl::StripAsciiWhitespace(authorization.substr(7));
  unsigned difference = given.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < token.size(); ++i) {
    difference |= static_cast<unsigned char>(token[i]) ^ static_cast<unsigned char>(i < given.size() ? given[i] : 0);
  }
  return difference == 0;
}

}  // namespace recloser::page
