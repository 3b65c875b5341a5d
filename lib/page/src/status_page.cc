#include "recloser/page/status_page.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "access.h"
#include "course.h"
#include "event_log.h"
#include "recloser/core/validation.h"
#include "site.h"
#include "ticker.h"
#include "web_server.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr std::size_t kMaxSamples = 10000;

std::size_t SamplesOf(const StatusPageOptions& options) {
  return static_cast<std::size_t>(options.course_length / options.sample_interval);
}

bool IsUsableToken(const std::string& token) {
  return token.size() >= 16 && token.size() <= 256 && std::all_of(token.begin(), token.end(), absl::ascii_isgraph);
}

/// Where a browser on this machine finds the page: an address that stands for all of them is none to go to.
std::string UrlOf(const std::string& address, int port) {
  if (address == "0.0.0.0") return absl::StrCat("http://127.0.0.1:", port, "/");
  if (address == "::") return absl::StrCat("http://[::1]:", port, "/");
  return absl::StrContains(address, ':') ? absl::StrCat("http://[", address, "]:", port, "/")
                                         : absl::StrCat("http://", address, ":", port, "/");
}

}  // namespace

absl::Status StatusPageOptions::Validate(absl::string_view path) const {
  Validator v(path);
  v.Require(page::IsIpAddress(address), "address", absl::StrCat("\"", address, "\""), "must be an IP address");
  v.InRange("port", port, 0, 65535);
  v.Require(!controls || IsUsableToken(token), "token", token.empty() ? "an empty token" : "this token",
            "with controls it must be 16 to 256 printable characters without spaces");
  v.InRange("transitions_kept", transitions_kept, 1, 1000);
  v.InRange("course_length", course_length, Duration::zero(), std::chrono::hours(1));
  v.InRange("sample_interval", sample_interval, std::chrono::milliseconds(10), std::chrono::minutes(1));
  if (!v.status().ok()) return v.status();
  v.Require(SamplesOf(*this) <= kMaxSamples, "course_length", FormatDuration(course_length),
            absl::StrCat("must be at most ", kMaxSamples, " times sample_interval"));
  v.InRange("threads", threads, 1, 64);
  return v.status();
}

class StatusPage::Impl {
 public:
  Impl(const StatusPageOptions& options, const std::shared_ptr<Registry>& registry, Clock clock)
      : log_(std::make_shared<page::EventLog>(static_cast<std::size_t>(options.transitions_kept), clock)),
        course_(SamplesOf(options), options.course_length, clock()),
        site_(options, registry, clock, *log_, course_) {}

  absl::Status Serve(const StatusPageOptions& options, const std::shared_ptr<Registry>& registry, Clock clock) {
    auto server = page::WebServer::Start(options.address, options.port, options.threads,
                                         [this](const page::HttpRequest& request) { return site_.Handle(request); });
    if (!server.ok()) return server.status();
    server_ = *std::move(server);
    url_ = UrlOf(options.address, server_->port());
    registry->AddObserver(page::ObserverFor(log_));
    if (SamplesOf(options) == 0) return absl::OkStatus();
    try {
      ticker_.emplace(options.sample_interval, [this, weak = std::weak_ptr<Registry>(registry), clock] {
        if (const std::shared_ptr<Registry> alive = weak.lock()) alive->Guard([&] { course_.Sample(*alive, clock()); });
      });
    } catch (const std::system_error& error) {
      return absl::ResourceExhaustedError(absl::StrCat("no thread for the status page: ", error.what()));
    }
    return absl::OkStatus();
  }

  const std::string& url() const { return url_; }
  int port() const { return server_->port(); }

 private:
  const std::shared_ptr<page::EventLog> log_;
  page::SampledCourse course_;
  const page::Site site_;
  std::string url_;
  // Last, so that their threads are gone first.
  std::unique_ptr<page::WebServer> server_;
  std::optional<page::Ticker> ticker_;
};

absl::StatusOr<std::unique_ptr<StatusPage>> StatusPage::Start(StatusPageOptions options, const std::shared_ptr<Registry>& registry,
                                                              Clock clock) {
  if (const absl::Status valid = options.Validate("status_page"); !valid.ok()) return valid;
  auto impl = std::make_unique<Impl>(options, registry, clock);
  if (const absl::Status serving = impl->Serve(options, registry, clock); !serving.ok()) return serving;
  return absl::WrapUnique(new StatusPage(std::move(impl)));
}

StatusPage::StatusPage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StatusPage::~StatusPage() = default;

const std::string& StatusPage::url() const { return impl_->url(); }
int StatusPage::port() const { return impl_->port(); }

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
