#include "http.h"

#include "absl/strings/str_cat.h"

namespace recloser::page {
namespace {

/// Scripts and styles from the page's own files only, none inline, nothing from elsewhere, no frames; text never becomes markup (Trusted
/// Types, W3C 2024, where the browser has them).
constexpr char kSecurityHeaders[] =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri "
    "'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cache-Control: no-store\r\n";

}  // namespace

const char* StatusText(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    default:
      return status < 500 ? "Client Error" : "Server Error";
  }
}

std::string Serialize(const HttpResponse& response, bool head) {
  std::string text =
      absl::StrCat("HTTP/1.1 ", response.status, " ", StatusText(response.status), "\r\nContent-Type: ", response.content_type,
                   "\r\nContent-Length: ", response.body.size(), "\r\nConnection: close\r\n", kSecurityHeaders);
  for (const auto& [name, value] : response.headers) absl::StrAppend(&text, name, ": ", value, "\r\n");
  absl::StrAppend(&text, "\r\n");
  if (!head) absl::StrAppend(&text, response.body);
  return text;
}

}  // namespace recloser::page
