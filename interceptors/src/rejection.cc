#include "recloser/rejection.h"

#include "absl/strings/numbers.h"
#include "call_metadata.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

template <class Number>
std::optional<Number> FindNumber(const ReceivedMetadata& trailers, const char* key) {
  const auto it = trailers.find(key);
  Number number = 0;
  if (it == trailers.end() || !absl::SimpleAtoi(View(it->second), &number)) return std::nullopt;
  return number;
}

}  // namespace

std::optional<CallRejection> GetRejection(const grpc::ClientContext& context) {
  const ReceivedMetadata& trailers = context.GetServerTrailingMetadata();
  const auto by = trailers.find(kRejectedByTrailer);
  if (by == trailers.end()) return std::nullopt;
  CallRejection rejection{std::string(View(by->second)), kForever};
  if (const auto ms = FindNumber<std::int64_t>(trailers, kRetryAfterTrailer))
    rejection.retry_after = FromSeconds(static_cast<double>(*ms) / 1000);
  return rejection;
}

int GetAttempts(const grpc::ClientContext& context) {
  const ReceivedMetadata& trailers = context.GetServerTrailingMetadata();
  if (trailers.find(kRejectedByTrailer) != trailers.end()) return 0;
  return FindNumber<int>(trailers, kAttemptsTrailer).value_or(1);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
