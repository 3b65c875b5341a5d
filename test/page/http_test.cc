// The HTTP side over a real socket: what is served, what is refused, how it stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "page_fixture.h"

namespace recloser::page {
namespace {

using testing::HasSubstr;
using testing::Not;

class Http : public PageFixture {};

TEST_F(Http, ServesThePageAndEverythingThatItLoads) {
  Start(Quiet());
  EXPECT_EQ(page_->url(), "http://127.0.0.1:" + std::to_string(page_->port()) + "/");
  const HttpAnswer page = Get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.Has("Content-Type: text/html; charset=utf-8\r\n")) << page.headers;
  for (const std::string file : {"page.css", "page.js", "icon.svg"}) {
    EXPECT_THAT(page.body, HasSubstr("\"" + file + "\""));
    EXPECT_EQ(Get("/" + file).status, 200) << file;
  }
  EXPECT_TRUE(Get("/page.js").Has("Content-Type: text/javascript; charset=utf-8\r\n"));
}

TEST_F(Http, EveryAnswerForbidsTheBrowserWhateverThePageDoesNotNeed) {
  Start(Quiet());
  for (const char* path : {"/", "/status.json", "/nothing"}) {
    const HttpAnswer answer = Get(path);
    EXPECT_TRUE(answer.Has("Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; ")) << answer.headers;
    EXPECT_THAT(answer.headers, HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(answer.headers, Not(HasSubstr("unsafe")));
    EXPECT_TRUE(answer.Has("X-Content-Type-Options: nosniff\r\n"));
    EXPECT_TRUE(answer.Has("X-Frame-Options: DENY\r\n"));
    EXPECT_TRUE(answer.Has("Cache-Control: no-store\r\n"));
    EXPECT_FALSE(answer.Has("Access-Control-")) << "no other site may read it";
  }
}

TEST_F(Http, WhatIsNotThereIsNotFound) {
  Start(Quiet());
  for (const char* path : {"/nothing", "/status", "/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/index.html/"}) {
    EXPECT_EQ(Get(path).status, 404) << path;
  }
}

TEST_F(Http, ReadsOnlyByGetAndHead) {
  Start(Quiet());
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH"}) {
    for (const char* path : {"/", "/status.json", "/course.json"}) {
      const HttpAnswer answer = Ask(page_->port(), method, path);
      EXPECT_EQ(answer.status, 405) << method << ' ' << path;
      EXPECT_TRUE(answer.Has("Allow: GET, HEAD\r\n")) << answer.headers;
    }
  }
  const HttpAnswer head = Ask(page_->port(), "HEAD", "/status.json");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_FALSE(Ask(page_->port(), "OPTIONS", "/status.json", {"Origin: http://evil.example", "Access-Control-Request-Method: GET"})
                   .Has("Access-Control-Allow-Origin"));
}

TEST_F(Http, AForeignHostNameIsRefused) {
  StatusPageOptions options = Quiet();
  options.allowed_hosts = {"orders-7.internal"};
  Start(options);
  for (const char* path : {"/", "/status.json", "/control"}) {
    EXPECT_EQ(Ask(page_->port(), "GET", path, {}, "", "evil.example").status, 421) << path;
  }
  EXPECT_EQ(Ask(page_->port(), "GET", "/", {}, "", "orders-7.internal:1234").status, 200);
  EXPECT_EQ(Ask(page_->port(), "GET", "/", {}, "", "localhost").status, 200);
  EXPECT_NE(Send(page_->port(), "GET / HTTP/1.1\r\n\r\n").status, 200) << "no host at all";
  EXPECT_NE(Send(page_->port(), "GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").status, 200) << "a proxy's request";
}

TEST_F(Http, OversizedAndBrokenRequestsAreRefusedAndDoNoHarm) {
  Start(Quiet());
  EXPECT_GE(Get("/" + std::string(100000, 'a')).status, 400);
  EXPECT_GE(Ask(page_->port(), "GET", "/", {"X: " + std::string(100000, 'a')}).status, 400);
  const HttpAnswer broken = Send(page_->port(), "\x01\x02 nonsense\r\n\r\n");
  EXPECT_TRUE(broken.status == 0 || broken.status >= 400) << broken.status;
  EXPECT_EQ(Get("/").status, 200);
}

TEST_F(Http, ABodyThatComesByteByByteHoldsAThreadForSecondsOnly) {
  StatusPageOptions options = Quiet();
  options.threads = 1;
  Start(options);
  const int socket = Connect(page_->port());
  const std::string headers = "POST /control HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4000\r\n\r\n";
  send(socket, headers.data(), headers.size(), MSG_NOSIGNAL);
  std::atomic<bool> stop{false};
  std::thread client([&] {
    for (; !stop.load(); std::this_thread::sleep_for(std::chrono::milliseconds(20))) send(socket, " ", 1, MSG_NOSIGNAL);
  });
  char answer = 0;
  EXPECT_EQ(recv(socket, &answer, 1, 0), 1);
  EXPECT_EQ(Get("/").status, 200) << "the rest of the body is waited for";
  stop.store(true);
  client.join();
  close(socket);
}

TEST_F(Http, StopsAtOnceAndFreesItsPort) {
  Start(Quiet());
  const int port = page_->port();
  const auto begin = std::chrono::steady_clock::now();
  page_ = nullptr;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1500));  // civetweb by itself takes 2 s
  EXPECT_EQ(page::Get(port, "/").status, 0);
  StatusPageOptions options = Quiet();
  options.port = port;
  Start(options);
  EXPECT_EQ(page_->port(), port);
}

TEST_F(Http, StopsWhileRequestsAreServed) {
  Start(Quiet());
  const int port = page_->port();
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([port] {
      // One second: of connections that arrive in the very moment of stopping, civetweb may forget one.
      while (Send(port, "GET /status.json HTTP/1.1\r\nHost: localhost\r\n\r\n", 1).status == 200) {
      }
    });
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Get("/status.json").status, 200);
  page_ = nullptr;
  for (std::thread& client : clients) client.join();
}

TEST_F(Http, APortThatIsTakenIsAnError) {
  Start(Quiet());
  StatusPageOptions options = Quiet();
  options.port = page_->port();
  const auto second = StatusPage::Start(options, registry_, &Http::Now);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("cannot listen on 127.0.0.1:" + std::to_string(page_->port())));
}

}  // namespace
}  // namespace recloser::page
