// A status page inside the application: every breaker with its numbers, as a page that keeps itself up to date and as JSON.
//
//   auto page = recloser::StatusPage::Start({}, recloser::Registry::Global(), &recloser::Now);
//   if (page.ok()) std::cout << (*page)->url() << '\n';      // http://127.0.0.1:34569/
//
// Start it before the channels that it is to see: problems are told once, and only transitions since the start are shown. It serves
//   GET /             the page; it loads nothing from elsewhere
//   GET /status.json  everything there is to see now     (proto/recloser/page/v1/status.proto: Status;
//                     ?brief leaves out transitions and options, ?breaker=TARGET%20NAME all other breakers)
//   GET /course.json  how the breakers got there         (Course; ?since=N leaves out the samples before number N; samples times breakers
//                     are at most 1000000, beyond that the newest)
//   POST /control     forces open, disables or resets a breaker (Control); only with `controls` and the token
//
// Calls are not slowed down: nothing is observed per call, and a breaker's lock is held for one snapshot per sample and per request.
//
// Security. There is no encryption and reading needs no password: leave it on the loopback address, or put it behind something that asks
// for one. A request must name an IP address, "localhost" or one of `allowed_hosts` as its host, so that a foreign site can't read the page
// by DNS rebinding. A change needs `controls`, POST and the token as "Authorization: Bearer TOKEN".
//
// Memory: up to 24 bytes per sample of the course and 1 KiB per kept transition, for each breaker. Threads: `threads`, one that takes the
// samples, and one of the web server's (civetweb). That ignores SIGPIPE in the whole process, as gRPC does. Thread safety: any member from
// any thread.
#ifndef RECLOSER_PAGE_STATUS_PAGE_H_
#define RECLOSER_PAGE_STATUS_PAGE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "recloser/core/export.h"
#include "recloser/core/policy_source.h"
#include "recloser/core/registry.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

struct StatusPageOptions {
  /// Where to listen: an IP address of this machine; "0.0.0.0" for all of them. Default: loopback.
  std::string address = "127.0.0.1";
  /// Range: 0 (the system chooses a free one) to 65535. Default 0.
  int port = 0;
  /// Shown at the top: the application's name, the replica. May be empty.
  std::string title;
  /// Host names, without port, by which browsers may reach the page beside IP addresses and "localhost". Default: none.
  std::vector<std::string> allowed_hosts;

  /// Answer POST /control. Default: no.
  bool controls = false;
  /// What such a request must prove to know. With `controls`: 16 to 256 printable characters without spaces.
  std::string token;

  /// Transitions kept per breaker. Range: 1 to 1000. Default 50.
  int transitions_kept = 50;
  /// How far back the charts of a freshly opened page go. Range: 0 (no course, no thread that takes samples) to 1 h, at most 10000 samples.
  /// Default 4 min.
  Duration course_length = std::chrono::minutes(4);
  /// Range: 10 ms to 1 min. Default 500 ms.
  Duration sample_interval = std::chrono::milliseconds(500);

  /// Requests served at once; one more waits. Range: 1 to 64. Default 3.
  int threads = 3;

  /// The policies in force as text, for people: `&recloser::PolicySetToJson` of recloser/config/policies.h. Empty: the page shows their
  /// source only.
  std::function<std::string(const PolicySet&)> policy_text;

  /// INVALID_ARGUMENT with the path of the field, its value and what is allowed.
  absl::Status Validate(absl::string_view path) const;
};

class StatusPage {
 public:
  /// The steady clock: `&recloser::Now` in a gRPC program.
  using Clock = Time (*)();

  /// Serves from now on. `registry`: not null; not kept alive, what is gone is not shown. INVALID_ARGUMENT for bad options, UNAVAILABLE
  /// when it can't listen there.
  static absl::StatusOr<std::unique_ptr<StatusPage>> Start(StatusPageOptions options, const std::shared_ptr<Registry>& registry,
                                                           Clock clock);

  /// Stops: waits for requests that are being served, and for all its threads.
  ~StatusPage();
  StatusPage(const StatusPage&) = delete;
  StatusPage& operator=(const StatusPage&) = delete;

  /// "http://127.0.0.1:34569/".
  const std::string& url() const;
  int port() const;

 private:
  class Impl;
  explicit StatusPage(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_PAGE_STATUS_PAGE_H_
