// civetweb behind one function: a request in, a response out.
//
// Thread safety: `Start` and the destructor from one thread at a time.
#ifndef RECLOSER_PAGE_SRC_WEB_SERVER_H_
#define RECLOSER_PAGE_SRC_WEB_SERVER_H_

#include <atomic>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "http.h"

struct mg_context;

namespace recloser::page {

class WebServer {
 public:
  /// `address`: an IP address. `port` 0: the system chooses. UNAVAILABLE when it can't listen there.
  static absl::StatusOr<std::unique_ptr<WebServer>> Start(const std::string& address, int port, int threads, HttpHandler handler);

  /// Waits for requests that are being served, at most five seconds each, and joins all threads.
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  int port() const { return port_; }
  /// For civetweb's threads.
  HttpResponse Answer(const HttpRequest& request) const;

 private:
  WebServer(std::string address, HttpHandler handler);

  const std::string address_;
  const HttpHandler handler_;
  mg_context* context_ = nullptr;
  int port_ = 0;
  std::atomic<bool> closing_{false};
};

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_WEB_SERVER_H_
