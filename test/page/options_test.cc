#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "recloser/page/status_page.h"

namespace recloser {
namespace {

TEST(StatusPageOptions, TheDefaultsAreValid) { EXPECT_TRUE(StatusPageOptions().Validate("page").ok()); }

TEST(StatusPageOptions, ABadFieldIsNamed) {
  const std::vector<std::pair<std::function<void(StatusPageOptions&)>, std::string>> cases = {
      {[](auto& o) { o.address = "localhost"; }, "page.address: \"localhost\" is not allowed; must be an IP address"},
      {[](auto& o) { o.port = 65536; }, "page.port: 65536"},
      {[](auto& o) { o.port = -1; }, "page.port: -1"},
      {[](auto& o) { o.controls = true; }, "page.token: an empty token"},
      {[](auto& o) { o.controls = true, o.token = "0123456789abcde"; }, "page.token: this token"},
      {[](auto& o) { o.controls = true, o.token = "0123456789abcde\n"; }, "page.token: this token"},
      {[](auto& o) { o.transitions_kept = 0; }, "page.transitions_kept: 0"},
      {[](auto& o) { o.course_length = std::chrono::hours(2); }, "page.course_length: 7200s"},
      {[](auto& o) { o.sample_interval = Duration::zero(); }, "page.sample_interval: 0s"},
      {[](auto& o) { o.sample_interval = std::chrono::milliseconds(10); }, "page.course_length: 240s"},
      {[](auto& o) { o.threads = 0; }, "page.threads: 0"},
  };
  for (const auto& [spoil, message] : cases) {
    StatusPageOptions options;
    spoil(options);
    const absl::Status status = options.Validate("page");
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(std::string(status.message()), testing::StartsWith(message));
  }
}

}  // namespace
}  // namespace recloser
