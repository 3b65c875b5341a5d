#include "access.h"

#include <gtest/gtest.h>

namespace recloser::page {
namespace {

TEST(TrustedHost, AddressesAndLocalhostAreTrustedWithAndWithoutPort) {
  for (const char* host : {"127.0.0.1", "127.0.0.1:8080", "localhost", "LOCALHOST:1", "10.1.2.3:80", "[::1]", "[::1]:8080"}) {
    EXPECT_TRUE(IsTrustedHost(host, {})) << host;
  }
}

TEST(TrustedHost, AnyOtherNameMayBeAForeignSitesUnlessItIsAllowed) {
  for (const char* host : {"", "evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1:80:evil",
                           "[::1", "[::1]x", "::1", "127.0.0.1:8x", "evil@127.0.0.1"}) {
    EXPECT_FALSE(IsTrustedHost(host, {"orders-7.internal"})) << host;
  }
  EXPECT_TRUE(IsTrustedHost("Orders-7.internal:8080", {"orders-7.internal"}));
  EXPECT_FALSE(IsTrustedHost("orders-7.internal.evil.example", {"orders-7.internal"}));
}

TEST(SameOrigin, APageOfAnotherSiteIsRefused) {
  HttpRequest request;
  request.host = "127.0.0.1:8080";
  EXPECT_TRUE(IsSameOrigin(request)) << "no browser";
  for (const char* origin : {"http://127.0.0.1:8080", "https://127.0.0.1:8080"}) {
    request.origin = origin;
    EXPECT_TRUE(IsSameOrigin(request)) << origin;
  }
  for (const char* origin : {"null", "http://evil.example", "http://127.0.0.1:8081", "http://127.0.0.1", "127.0.0.1:8080"}) {
    request.origin = origin;
    EXPECT_FALSE(IsSameOrigin(request)) << origin;
  }
}

TEST(Token, OnlyTheWholeTokenIsAccepted) {
  const char token[] = "0123456789abcdef";
  EXPECT_TRUE(HasToken("Bearer 0123456789abcdef", token));
  EXPECT_TRUE(HasToken("bearer 0123456789abcdef", token)) << "the scheme's case does not matter (RFC 9110)";
  for (const char* header : {"", "Bearer", "Bearer ", "Basic 0123456789abcdef", "0123456789abcdef", "Bearer 0123456789abcde",
                             "Bearer 0123456789abcdef0", "Bearer 0123456789abcdeF", "Bearer 1123456789abcdef"}) {
    EXPECT_FALSE(HasToken(header, token)) << header;
  }
  EXPECT_FALSE(HasToken("Bearer ", "")) << "no token is not a token";
}

}  // namespace
}  // namespace recloser::page
