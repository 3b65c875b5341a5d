#include "web_server.h"

#include <civetweb.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "blocked_signals.h"
#include "own_connection.h"

namespace recloser::page {
namespace {

constexpr char kRequestTimeoutMs[] = "5000";
/// Of a whole body, and a whole answer: civetweb's own limit begins anew with each byte that comes or goes, so that three slow clients
/// could hold all threads for hours.
constexpr std::chrono::seconds kBodyLimit{2};
constexpr std::chrono::seconds kAnswerLimit{20};
constexpr std::size_t kPieceOfAnswer = 16 << 10;
constexpr char kMaxRequestHeaders[] = "8192";
/// What waits behind the requests being served; browsers open up to six connections.
constexpr char kConnectionQueue[] = "16";

std::string Header(const mg_connection* connection, const char* name) {
  const char* const value = mg_get_header(connection, name);
  return value != nullptr ? value : "";
}

void ReadBody(mg_connection* connection, long long announced, HttpRequest* request) {
  // In chunks it announces nothing.
  request->body_too_large = announced > static_cast<long long>(kMaxBody) || !Header(connection, "Transfer-Encoding").empty();
  if (request->body_too_large) return;
  const auto end = std::chrono::steady_clock::now() + kBodyLimit;
  // Byte by byte: to read several civetweb waits for all of them.
  for (char byte = 0; std::chrono::steady_clock::now() < end && mg_read(connection, &byte, 1) == 1;) request->body += byte;
}

HttpRequest ReadRequest(mg_connection* connection) {
  const mg_request_info& info = *mg_get_request_info(connection);
  HttpRequest request;
  request.method = info.request_method;
  if (info.local_uri != nullptr) request.path = info.local_uri;
  if (info.query_string != nullptr) request.query = info.query_string;
  request.host = Header(connection, "Host");
  request.origin = Header(connection, "Origin");
  request.authorization = Header(connection, "Authorization");
  request.content_type = Header(connection, "Content-Type");
  if (request.method == "POST") ReadBody(connection, info.content_length, &request);
  return request;
}

void Write(mg_connection* connection, absl::string_view text) {
  const auto end = std::chrono::steady_clock::now() + kAnswerLimit;
  while (!text.empty() && std::chrono::steady_clock::now() < end) {
    const int written = mg_write(connection, text.data(), std::min(text.size(), kPieceOfAnswer));
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Answers everything, so that civetweb never looks for files of its own.
int OnRequest(mg_connection* connection) noexcept {
  const auto* const server = static_cast<const WebServer*>(mg_get_user_data(mg_get_context(connection)));
  mg_disable_connection_keep_alive(connection);  // or what is left of the body is waited for, however long that takes
  const HttpRequest request = ReadRequest(connection);
  const HttpResponse response = server->Answer(request);
  Write(connection, Serialize(response, request.method == "HEAD"));
  return response.status;
}

/// Requests that civetweb itself refuses: malformed ones, too long ones.
int OnError(mg_connection* connection, int status, const char* /*text*/) noexcept {
  HttpResponse response;
  response.status = status;
  response.body = absl::StrCat(StatusText(status), "\n");
  Write(connection, Serialize(response, false));
  return 0;
}

/// The library does not print: what civetweb has to say is dropped. What keeps it from starting comes as an error.
int DropMessage(const mg_connection* /*connection*/, const char* /*text*/) noexcept { return 1; }

}  // namespace

WebServer::WebServer(std::string address, HttpHandler handler) : address_(std::move(address)), handler_(std::move(handler)) {}

absl::StatusOr<std::unique_ptr<WebServer>> WebServer::Start(const std::string& address, int port, int threads, HttpHandler handler) {
  std::unique_ptr<WebServer> server = absl::WrapUnique(new WebServer(address, std::move(handler)));
  const std::string listen = absl::StrContains(address, ':') ? absl::StrCat("[", address, "]:", port) : absl::StrCat(address, ":", port);
  const std::string workers = absl::StrCat(threads);
  const char* options[] = {"listening_ports",
                           listen.c_str(),
                           "num_threads",
                           workers.c_str(),
                           "max_request_size",
                           kMaxRequestHeaders,
                           "request_timeout_ms",
                           kRequestTimeoutMs,
                           "connection_queue",
                           kConnectionQueue,
                           "enable_keep_alive",
                           "no",
                           nullptr};
  mg_callbacks callbacks{};
  callbacks.begin_request = OnRequest;
  callbacks.http_error = OnError;
  callbacks.log_message = DropMessage;
  callbacks.log_access = DropMessage;
  mg_init_data init{&callbacks, server.get(), options};
  std::array<char, 256> text{};
  mg_error_data error{};  // its other members are not the same in civetweb 1.15 and 1.16
  error.text = text.data();
  error.text_buffer_size = text.size();
  {
    const BlockedSignals blocked;
    server->context_ = mg_start2(&init, &error);
  }
  if (server->context_ == nullptr) return absl::UnavailableError(absl::StrCat("cannot listen on ", listen, ": ", text.data()));
  mg_server_port bound{};
  if (mg_get_server_ports(server->context_, 1, &bound) != 1) return absl::UnavailableError(absl::StrCat("not listening on ", listen));
  server->port_ = bound.port;
  return server;
}

HttpResponse WebServer::Answer(const HttpRequest& request) const {
  if (closing_.load()) return {503, "text/plain; charset=utf-8", "the page is being stopped\n"};
  return handler_(request);
}

WebServer::~WebServer() {
  if (context_ == nullptr) return;
  // civetweb 1.15 forgets to close connections that still wait to be served when it stops: refuse what comes and let the queue run empty.
  closing_.store(true);
  WaitForTurn(address_, port_);
  // civetweb waits for connections up to 2 s before it sees that it is to stop: give it some.
  std::atomic<bool> stopped{false};
  std::thread knocking;
  try {
    knocking = std::thread([&] {
      while (!stopped.load()) {
        Knock(address_, port_);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
  } catch (const std::system_error&) {
    // No thread to be had: it takes a little longer.
  }
  mg_stop(context_);
  stopped.store(true);
  if (knocking.joinable()) knocking.join();
}

}  // namespace recloser::page
