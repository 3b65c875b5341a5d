// The page as Prometheus gets it: over HTTP, judged by Prometheus's own tool.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <prometheus/exposer.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recloser/core/link.h"
#include "recloser/core/policy_source.h"
#include "recloser/prometheus/exporter.h"
#include "recloser/prometheus/metrics.h"
#include "scraped.h"

namespace recloser {
namespace {

using ::testing::HasSubstr;

/// The body of an HTTP GET from the loopback interface; empty when anything went wrong.
std::string HttpGet(int port, const std::string& path) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  std::string answer;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    const std::string request = absl::StrCat("GET ", path, " HTTP/1.0\r\nHost: localhost\r\n\r\n");
    if (::send(socket, request.data(), request.size(), 0) == static_cast<ssize_t>(request.size())) {
      char buffer[16384];
      for (ssize_t n = 0; (n = ::recv(socket, buffer, sizeof(buffer), 0)) > 0;) answer.append(buffer, static_cast<std::size_t>(n));
    }
  }
  ::close(socket);
  const std::size_t body = answer.find("\r\n\r\n");
  return absl::StartsWith(answer, "HTTP/1.1 200") && body != std::string::npos ? answer.substr(body + 4) : "";
}

class ScrapeTest : public ::testing::Test {
 protected:
  // One for all tests: its end takes two seconds.
  static void SetUpTestSuite() { exposer_ = new prometheus::Exposer("127.0.0.1:0"); }
  static void TearDownTestSuite() { delete exposer_; }

  ScrapeTest() {
    VirtualClock::Reset();
    exposer_->RegisterCollectable(exporter_);
  }
  ~ScrapeTest() override { exposer_->RemoveCollectable(exporter_); }

  static std::string Scrape() { return HttpGet(exposer_->GetListeningPorts().at(0), "/metrics"); }

  std::shared_ptr<Registry> registry_ = Registry::Create({64, 1});
  std::shared_ptr<PrometheusExporter> exporter_ = PrometheusExporter::Create(registry_, &VirtualClock::Read);

 private:
  static inline prometheus::Exposer* exposer_ = nullptr;
};

TEST_F(ScrapeTest, ThePageOverHttpHasTheValues) {
  const auto method = exporter_->ObserveMethod({"dns:///orders", "orders.Orders", "Get"});
  for (int i = 0; i < 3; ++i) method->OnCallStarted();
  method->OnCallFinished({absl::StatusCode::kOk, false, std::chrono::microseconds(250), 1});

  const std::string page = Scrape();
  const std::string labels = "target=\"dns:///orders\",grpc_service=\"orders.Orders\",grpc_method=\"Get\"";
  EXPECT_THAT(page, HasSubstr(absl::StrCat("recloser_calls_started_total{", labels, "} 3\n")));
  EXPECT_THAT(page, HasSubstr(absl::StrCat("recloser_calls_in_flight{", labels, "} 2\n")));
  EXPECT_THAT(page, HasSubstr(absl::StrCat("recloser_calls_handled_total{", labels, ",grpc_code=\"OK\",origin=\"server\"} 1\n")));
  EXPECT_THAT(page, HasSubstr(absl::StrCat("recloser_call_duration_seconds_bucket{", labels, ",le=\"0.0003\"} 1\n")));
  EXPECT_THAT(page, HasSubstr("recloser_listener_errors_total 0\n"));
}

TEST_F(ScrapeTest, PromtoolFindsNothingToSayAboutThePage) {
  const auto source = PolicySource::Create({}, {"/etc/\"policies\\.json\n", "9f86d081"});
  registry_->AddSource(source);
  Policies policies = Policies::Defaults();
  policies.defaults.shadow_breaker = BreakerOptions{};
  policies.defaults.shadow_breaker->mode = BreakerMode::kShadow;
  const auto link = Link::Create("dns:///or\"d\\ers\n", policies, registry_);
  const MethodContext& method = *link->Method("/orders.Orders/Get", {}, VirtualClock::now);
  const Admission admission = method.breaker->TryAcquire(VirtualClock::now, {});
  method.breaker->Record(admission.permit, VirtualClock::now, {});
  link->Method("/orders.Orders/Put", {}, VirtualClock::now)->breaker->ForceOpen(VirtualClock::now);

  const std::string file = absl::StrCat(::testing::TempDir(), "/recloser_metrics_", ::getpid(), ".txt");
  const std::string page = Scrape();
  for (const MetricInfo& metric : PrometheusMetrics()) ASSERT_THAT(page, HasSubstr(absl::StrCat("# TYPE ", metric.name, " ")));
  std::ofstream(file) << page;
  std::FILE* const promtool = ::popen(absl::StrCat("'" PROMTOOL "' check metrics < '", file, "' 2>&1").c_str(), "r");
  ASSERT_NE(promtool, nullptr);
  std::string said;
  char buffer[4096];
  while (std::fgets(buffer, sizeof(buffer), promtool) != nullptr) said += buffer;
  EXPECT_EQ(::pclose(promtool), 0) << "promtool (Debian: package prometheus) is needed for this test. It said: " << said;
  EXPECT_EQ(said, "");
  std::remove(file.c_str());
}

}  // namespace
}  // namespace recloser
