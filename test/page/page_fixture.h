// A page of a registry whose time stands still until the test moves it.
#ifndef RECLOSER_TEST_PAGE_PAGE_FIXTURE_H_
#define RECLOSER_TEST_PAGE_PAGE_FIXTURE_H_

#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "http_client.h"
#include "recloser/core/registry.h"
#include "recloser/page/status_page.h"
#include "recloser/page/v1/status.pb.h"

namespace recloser::page {

class PageFixture : public testing::Test {
 protected:
  static constexpr char kTarget[] = "dns:///orders:443";
  static constexpr char kToken[] = "0123456789abcdef";

  void SetUp() override { now_ = Time(std::chrono::hours(1)); }

  static Time Now() { return now_; }
  static void Advance(Duration d) { now_ = SaturatingAdd(now_, d); }

  /// Without a thread that takes samples.
  static StatusPageOptions Quiet() {
    StatusPageOptions options;
    options.course_length = Duration::zero();
    return options;
  }

  void Start(const StatusPageOptions& options) {
    page_ = nullptr;
    auto page = StatusPage::Start(options, registry_, &PageFixture::Now);
    ASSERT_TRUE(page.ok()) << page.status();
    page_ = *std::move(page);
  }

  std::shared_ptr<SharedBreaker> Breaker(const std::string& service, const std::string& method, const BreakerOptions& options = {}) {
    return registry_->FindOrCreate({kTarget, service, method}, options, now_);
  }

  /// `count` attempts, a millisecond apart, that end with `code` after another one.
  static void Attempts(SharedBreaker& breaker, int count, absl::StatusCode code) {
    for (int i = 0; i < count; ++i) {
      const Admission admission = breaker.TryAcquire(now_, {});
      Advance(std::chrono::milliseconds(1));
      AttemptResult result;
      result.code = code;
      if (admission.admitted) breaker.Record(admission.permit, now_, result);
      Advance(std::chrono::milliseconds(1));
    }
  }

  HttpAnswer Get(const std::string& path) const { return page::Get(page_->port(), path); }

  v1::Status Status() const {
    const HttpAnswer answer = Get("/status.json");
    EXPECT_EQ(answer.status, 200);
    v1::Status status;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(answer.body, &status).ok()) << answer.body;
    return status;
  }

  const std::shared_ptr<Registry> registry_ = Registry::Create({1024, 7});
  std::unique_ptr<StatusPage> page_;

 private:
  static inline std::atomic<Time> now_;
};

}  // namespace recloser::page

#endif  // RECLOSER_TEST_PAGE_PAGE_FIXTURE_H_
