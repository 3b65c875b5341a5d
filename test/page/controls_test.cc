// Changing something needs: controls switched on, POST, the token, the page's own origin, a breaker and an action that there are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "page_fixture.h"

namespace recloser::page {
namespace {

class Controls : public PageFixture {
 protected:
  static StatusPageOptions Allowed() {
    StatusPageOptions options = Quiet();
    options.controls = true;
    options.token = kToken;
    return options;
  }

  static std::string Order(const std::string& action, const std::string& name = "a.B/Get") {
    return "{\"target\": \"" + std::string(kTarget) + "\", \"name\": \"" + name + "\", \"action\": \"" + action + "\"}";
  }

  HttpAnswer Post(const std::string& body, const std::vector<std::string>& headers) const {
    return Ask(page_->port(), "POST", "/control", headers, body);
  }

  HttpAnswer Authorized(const std::string& body) const {
    return Post(body, {"Content-Type: application/json", "Authorization: Bearer " + std::string(kToken)});
  }

  const std::shared_ptr<SharedBreaker> breaker_ = Breaker("a.B", "Get");
};

TEST_F(Controls, ForceOpenDisableAndReset) {
  Start(Allowed());
  const HttpAnswer forced = Authorized(Order("FORCE_OPEN"));
  EXPECT_EQ(forced.status, 200);
  EXPECT_THAT(forced.body, testing::HasSubstr("\"state\":\"forced_open\""));
  EXPECT_EQ(breaker_->state(), BreakerState::kForcedOpen);
  EXPECT_EQ(Authorized(Order("DISABLE")).status, 200);
  EXPECT_EQ(breaker_->state(), BreakerState::kDisabled);
  EXPECT_EQ(Authorized(Order("RESET")).status, 200);
  EXPECT_EQ(breaker_->state(), BreakerState::kClosed);
}

TEST_F(Controls, AreOffByDefaultEvenWithATokenSet) {
  StatusPageOptions options = Quiet();
  options.token = kToken;
  Start(options);
  EXPECT_EQ(Authorized(Order("FORCE_OPEN")).status, 403);
  EXPECT_EQ(breaker_->state(), BreakerState::kClosed);
  EXPECT_FALSE(Status().controls());
}

TEST_F(Controls, EachWayOfNotBeingAllowedIsRefusedAndChangesNothing) {
  Start(Allowed());
  const std::string json = "Content-Type: application/json";
  const std::string token = "Authorization: Bearer " + std::string(kToken);
  const std::string order = Order("FORCE_OPEN");
  struct Case {
    const char* what;
    HttpAnswer answer;
    int status;
  };
  const Case cases[] = {
      {"no token", Post(order, {json}), 401},
      {"wrong token", Post(order, {json, "Authorization: Bearer 0123456789abcdeX"}), 401},
      {"token in the query", Ask(page_->port(), "POST", "/control?token=" + std::string(kToken), {json}, order), 401},
      {"another site's page", Post(order, {json, token, "Origin: http://evil.example"}), 403},
      {"a form's content type", Post(order, {"Content-Type: text/plain", token}), 415},
      {"GET", Ask(page_->port(), "GET", "/control", {json, token}), 405},
      {"PUT", Ask(page_->port(), "PUT", "/control", {json, token}, order), 405},
      {"too long", Authorized(order + std::string(5000, ' ')), 413},
      {"not JSON", Authorized("FORCE_OPEN"), 400},
      {"an unknown field", Authorized("{\"breaker\": \"a.B/Get\"}"), 400},
      {"an unknown action", Authorized(Order("EXPLODE")), 400},
      {"no action", Authorized(Order("ACTION_UNSPECIFIED")), 400},
      {"no such breaker", Authorized(Order("FORCE_OPEN", "a.B/Other")), 404},
      {"a foreign host", Ask(page_->port(), "POST", "/control", {json, token}, order, "evil.example"), 421},
  };
  for (const Case& one : cases) EXPECT_EQ(one.answer.status, one.status) << one.what << ": " << one.answer.body;
  EXPECT_EQ(breaker_->state(), BreakerState::kClosed);
  EXPECT_TRUE(cases[0].answer.Has("WWW-Authenticate: Bearer\r\n"));
}

TEST_F(Controls, ABodyInChunksIsRefused) {
  Start(Allowed());
  const std::string request = "POST /control HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: Bearer " +
                              std::string(kToken) + "\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(Send(page_->port(), request + "2\r\n{}\r\n0\r\n\r\n").status, 413);
}

}  // namespace
}  // namespace recloser::page
