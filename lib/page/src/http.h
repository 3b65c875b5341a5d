// Requests and responses as values, so that what is answered can be decided, and tested, without a socket.
#ifndef RECLOSER_PAGE_SRC_HTTP_H_
#define RECLOSER_PAGE_SRC_HTTP_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace recloser::page {

/// Longer bodies, and those in chunks, are refused without being read.
inline constexpr std::size_t kMaxBody = 4096;

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // "/status.json"; "" when the request is for another server
  std::string query;   // what is behind '?'
  // Headers; "" when absent.
  std::string host;
  std::string origin;
  std::string authorization;
  std::string content_type;
  std::string body;
  bool body_too_large = false;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};  // beside those that every response has
};

/// Called from several threads at once; must not throw.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

/// "Not Found".
const char* StatusText(int status);

/// The response as it goes over the wire, with the headers that keep browsers from doing anything but showing the page. `head`: without
/// the body.
std::string Serialize(const HttpResponse& response, bool head);

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_HTTP_H_
