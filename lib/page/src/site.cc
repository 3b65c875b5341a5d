#include "site.h"

#include <civetweb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "access.h"
#include "assets.h"
#include "policy_sources.h"
#include "recloser/core/utf8.h"
#include "recloser/page/v1/status.pb.h"
#include "status.h"

namespace recloser::page {
namespace {

HttpResponse Json(const google::protobuf::Message& message) { return {200, "application/json; charset=utf-8", ToJson(message)}; }

HttpResponse Error(int status, absl::string_view text) {
  HttpResponse response;
  response.status = status;
  response.body = absl::StrCat(text, "\n");
  return response;
}

HttpResponse WrongMethod(const char* allowed) {
  HttpResponse response = Error(405, absl::StrCat("allowed here: ", allowed));
  response.headers = {{"Allow", allowed}};
  return response;
}

std::string UrlDecoded(absl::string_view text) {
  std::string decoded(text.size() + 1, '\0');
  const int size = mg_url_decode(text.data(), static_cast<int>(text.size()), decoded.data(), static_cast<int>(decoded.size()), 0);
  decoded.resize(static_cast<std::size_t>(std::max(size, 0)));
  return decoded;
}

/// Of "", "brief" or "breaker=..."; nothing for any other query.
std::optional<StatusSelection> SelectionOf(absl::string_view query) {
  StatusSelection selection;
  if (query == "brief") {
    selection.brief = true;
  } else if (absl::ConsumePrefix(&query, "breaker=")) {
    selection.breaker = UrlDecoded(query);
  } else if (!query.empty()) {
    return std::nullopt;
  }
  return selection;
}

/// False for an action that is none.
bool Apply(v1::Control::Action action, Time now, SharedBreaker& breaker) {
  switch (action) {
    case v1::Control::FORCE_OPEN:
      breaker.ForceOpen(now);
      return true;
    case v1::Control::DISABLE:
      breaker.Disable(now);
      return true;
    case v1::Control::RESET:
      breaker.Reset(now);
      return true;
    default:
      return false;
  }
}

}  // namespace

Site::Site(const StatusPageOptions& options, std::weak_ptr<Registry> registry, StatusPage::Clock clock, const EventLog& log,
           const SampledCourse& course)
    : options_(options), registry_(std::move(registry)), clock_(clock), started_(clock()), log_(log), course_(course) {}

HttpResponse Site::Handle(const HttpRequest& request) const noexcept {
  try {
    return Answer(request);
  } catch (...) {
    return {500, "text/plain; charset=utf-8", "something in the application threw\n"};
  }
}

HttpResponse Site::Answer(const HttpRequest& request) const {
  if (!IsTrustedHost(request.host, options_.allowed_hosts)) {
    return Error(421, "this host name is not one of the page's (StatusPageOptions::allowed_hosts)");
  }
  if (request.path == "/control") return Control(request);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (request.path == "/status.json") return reads ? Status(request.query) : WrongMethod("GET, HEAD");
  if (request.path == "/course.json") return reads ? Course(request.query) : WrongMethod("GET, HEAD");
  const absl::string_view path = request.path == "/" ? "/index.html" : absl::string_view(request.path);
  for (const Asset& asset : Assets()) {
    if (asset.path != path) continue;
    return reads ? HttpResponse{200, std::string(asset.content_type), std::string(asset.body)} : WrongMethod("GET, HEAD");
  }
  return Error(404, "there are /, /status.json and /course.json");
}

HttpResponse Site::Status(const std::string& query) const {
  const std::optional<StatusSelection> selection = SelectionOf(query);
  if (!selection.has_value()) return Error(400, "the only parameters are \"brief\" and breaker=TARGET%20NAME");
  const Time now = clock_();
  v1::Status status;
  if (const std::shared_ptr<Registry> registry = registry_.lock()) {
    status = RegistryStatus(*registry, *selection, log_, now);
    AddPolicySources(*registry, options_.policy_text, &status);
    status.set_listener_errors(static_cast<double>(registry->listener_errors()));  // last, because what threw just now counts too
  }
  status.set_title(ToUtf8(options_.title));
  status.set_unix_time_seconds(UnixSeconds(now, now));
  status.set_uptime_seconds(ToSeconds(Elapsed(started_, now)));
  status.set_controls(options_.controls);
  return Json(status);
}

HttpResponse Site::Course(const std::string& query) const {
  absl::string_view rest = query;
  std::uint64_t since = 0;
  if (!rest.empty() && !(absl::ConsumePrefix(&rest, "since=") && absl::SimpleAtoi(rest, &since))) {
    return Error(400, "the only parameter is since=N, the number of the first sample wanted");
  }
  return Json(course_.Since(since));
}

HttpResponse Site::Control(const HttpRequest& request) const {
  if (request.method != "POST") return WrongMethod("POST");
  if (!options_.controls) return Error(403, "controls are off (StatusPageOptions::controls)");
  if (!IsSameOrigin(request)) return Error(403, "the request comes from another site's page");
  if (!HasToken(request.authorization, options_.token)) {
    HttpResponse response = Error(401, "the token is missing or wrong; send it as \"Authorization: Bearer TOKEN\"");
    response.headers = {{"WWW-Authenticate", "Bearer"}};
    return response;
  }
  if (request.body_too_large) return Error(413, absl::StrCat("at most ", kMaxBody, " bytes, announced by Content-Length"));
  if (!absl::StartsWith(request.content_type, "application/json")) return Error(415, "the body must be application/json");
  v1::Control control;
  const auto parsed = google::protobuf::util::JsonStringToMessage(request.body, &control);
  if (!parsed.ok()) return Error(400, absl::StrCat("not a Control: ", std::string(parsed.message())));
  const std::shared_ptr<Registry> registry = registry_.lock();
  const std::shared_ptr<SharedBreaker> breaker = registry != nullptr ? registry->Find(control.target(), control.name()) : nullptr;
  if (breaker == nullptr) return Error(404, "there is no such breaker");
  const Time now = clock_();
  if (!Apply(control.action(), now, *breaker)) return Error(400, "action must be FORCE_OPEN, DISABLE or RESET");
  return Json(BreakerStatus(*breaker, log_, now));
}

}  // namespace recloser::page
