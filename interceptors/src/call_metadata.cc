#include "call_metadata.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "recloser/call_options.h"
#include "recloser/rejection.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr absl::string_view kAttempts = "attempts=";
constexpr absl::string_view kTimeout = "timeout_ns=";
constexpr absl::string_view kBypass = "bypass";

void AddOption(grpc::ClientContext* context, const std::string& option) { context->AddMetadata(kCallOptionsKey, option); }

void Apply(absl::string_view option, CallOverrides& overrides) {
  std::int64_t number = 0;
  if (option == kBypass) {
    overrides.bypass_breaker = true;
  } else if (absl::ConsumePrefix(&option, kAttempts) && absl::SimpleAtoi(option, &number)) {
    overrides.max_attempts = static_cast<int>(number);
  } else if (absl::ConsumePrefix(&option, kTimeout) && absl::SimpleAtoi(option, &number)) {
    overrides.attempt_timeout = Duration(number);
  }
}

}  // namespace

CallOptions& CallOptions::MaxAttempts(int attempts) {
  AddOption(context_, absl::StrCat(kAttempts, std::clamp(attempts, 1, 100)));
  return *this;
}

CallOptions& CallOptions::AttemptTimeout(Duration timeout) {
  const Duration clamped = std::clamp<Duration>(timeout, std::chrono::milliseconds(1), std::chrono::hours(24));
  AddOption(context_, absl::StrCat(kTimeout, clamped.count()));
  return *this;
}

CallOptions& CallOptions::BypassBreaker() {
  AddOption(context_, std::string(kBypass));
  return *this;
}

CallOverrides TakeCallOverrides(grpc::ClientContext& context) {
  if (!access::kPrivateMembers) return {};
  return TakeCallOverrides(access::Member(access::SendInitialMetadata{}, context));
}

CallOverrides TakeCallOverrides(access::Metadata& metadata) {
  CallOverrides overrides;
  if (metadata.empty()) return overrides;
  // Later settings win: equal keys keep their order of insertion.
  const auto [first, last] = metadata.equal_range(kCallOptionsKey);
  for (auto it = first; it != last; ++it) Apply(it->second, overrides);
  metadata.erase(first, last);
  overrides.nested = metadata.find(kPreviousAttemptsHeader) != metadata.end() || metadata.find(kGrpcPreviousAttemptsKey) != metadata.end();
  return overrides;
}

OwnedMetadata Copy(const ReceivedMetadata& from) {
  OwnedMetadata to;
  to.reserve(from.size());
  for (const auto& [key, value] : from) to.emplace_back(std::string(key.data(), key.size()), std::string(value.data(), value.size()));
  return to;
}

void Refer(const OwnedMetadata& from, ReceivedMetadata& to) {
  to.clear();
  for (const auto& [key, value] : from) {
    to.emplace(grpc::string_ref(key.data(), key.size()), grpc::string_ref(value.data(), value.size()));
  }
}

void CopySettings(grpc::ClientContext& from, const access::Metadata& metadata, int attempt, grpc::ClientContext& to) {
  access::Member(access::SendInitialMetadata{}, to) = metadata;  // compression stands in there too
  if (attempt > 1) {
    to.AddMetadata(kPreviousAttemptsHeader, absl::StrCat(attempt - 1));
    to.AddMetadata(kGrpcPreviousAttemptsKey, absl::StrCat(attempt - 1));
  }
  if (from.credentials() != nullptr) to.set_credentials(from.credentials());
  access::Member(access::Authority{}, to) = access::Member(access::Authority{}, from);
  access::Member(access::WaitForReady{}, to) = access::Member(access::WaitForReady{}, from);
  access::Member(access::WaitForReadyIsExplicit{}, to) = access::Member(access::WaitForReadyIsExplicit{}, from);
  access::Member(access::ParentCall{}, to) = access::Member(access::ParentCall{}, from);
  access::Member(access::Propagation{}, to) = access::Member(access::Propagation{}, from);
  to.set_census_context(from.census_context());
}

bool HasParent(grpc::ClientContext& context) {
  return !access::kPrivateMembers || access::Member(access::ParentCall{}, context) != nullptr;
}

void ReadTrailers(const ReceivedMetadata& trailers, AttemptResult& result) {
  if (trailers.empty()) return;
  const auto [first, last] = trailers.equal_range(kPushbackKey);
  if (first != last) {
    result.pushback = std::next(first) == last ? ParsePushback(View(first->second)) : Pushback{Pushback::Kind::kStop, Duration::zero()};
  }
  result.rejected_by_recloser = trailers.find(kRejectedByTrailer) != trailers.end();
}

std::optional<absl::string_view> TrailersView::Find(absl::string_view key) const {
  const auto it = map_.find(grpc::string_ref(key.data(), key.size()));
  if (it == map_.end()) return std::nullopt;
  return View(it->second);
}

EndedAttempt::EndedAttempt(const grpc::Status& status, const ReceivedMetadata& trailers)
    : message_(status.error_message()), trailers_(trailers) {
  result.code = static_cast<absl::StatusCode>(status.error_code());
  result.message = message_;
  ReadTrailers(trailers, result);
  result.trailers = &trailers_;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
