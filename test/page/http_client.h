// The smallest HTTP client that can be rude: one request as text, the whole answer as text.
#ifndef RECLOSER_TEST_PAGE_HTTP_CLIENT_H_
#define RECLOSER_TEST_PAGE_HTTP_CLIENT_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace recloser::page {

struct HttpAnswer {
  int status = 0;  // 0: none came
  std::string headers;
  std::string body;

  bool Has(const std::string& header) const { return headers.find("\r\n" + header) != std::string::npos; }
};

/// A connection to 127.0.0.1:`port`, for the caller to close; reading from it waits for `patience` seconds at most.
inline int Connect(int port, int patience = 10) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval timeout{patience, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  static_cast<void>(connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof(to)));  // what fails shows at the first use
  return socket;
}

/// Sends `text` to 127.0.0.1:`port` and reads until the server closes, or nothing came for `patience` seconds.
inline HttpAnswer Send(int port, const std::string& text, int patience = 10) {
  HttpAnswer answer;
  const int socket = Connect(port, patience);
  send(socket, text.data(), text.size(), MSG_NOSIGNAL);
  std::string got;
  char buffer[4096];
  for (ssize_t n = 0; (n = recv(socket, buffer, sizeof(buffer), 0)) > 0;) got.append(buffer, static_cast<std::size_t>(n));
  close(socket);
  const std::size_t end = got.find("\r\n\r\n");
  if (got.compare(0, 9, "HTTP/1.1 ") != 0 || end == std::string::npos) return answer;
  answer.status = std::stoi(got.substr(9, 3));
  answer.headers = got.substr(0, end) + "\r\n";
  answer.body = got.substr(end + 4);
  return answer;
}

/// `headers`: beside Host, each "Name: value".
inline HttpAnswer Ask(int port, const std::string& method, const std::string& path, const std::vector<std::string>& headers = {},
                      const std::string& body = "", const std::string& host = "127.0.0.1") {
  std::string text = method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n";
  for (const std::string& header : headers) text += header + "\r\n";
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return Send(port, text + "\r\n" + body);
}

inline HttpAnswer Get(int port, const std::string& path) { return Ask(port, "GET", path); }

}  // namespace recloser::page

#endif  // RECLOSER_TEST_PAGE_HTTP_CLIENT_H_
