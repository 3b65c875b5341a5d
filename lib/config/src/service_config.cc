#include "recloser/config/service_config.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "json_object.h"
#include "policy_messages.h"
#include "text_file.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

namespace v1 = config::v1;

constexpr char kKind[] = "service config";
// gRFC A6: larger values are treated as this one.
constexpr int kMaxAttemptsOfGrpc = 5;

class Converter {
 public:
  explicit Converter(Validator* v) : v_(*v) {}

  v1::PolicyFile Convert(JsonObject config) {
    v1::PolicyFile file;
    bool has_default = false;
    for (JsonObject& entry : config.Objects("methodConfig")) has_default = ConvertEntry(&entry, &file) || has_default;
    if (!has_default) {
      v1::MethodConfig* const others = file.add_method_config();
      others->add_name();
      others->mutable_retry()->set_mode(v1::Retry::NEVER);
    }
    if (std::optional<JsonObject> throttling = config.Object("retryThrottling")) {
      ConvertThrottling(&*throttling, file.mutable_retry_budget());
    } else if (retries_) {
      Note("retryThrottling", "is absent, and gRPC would not limit retries; Recloser's own budget of 100 tokens at 0.1 does");
    }
    NoteUnread(config);
    if (retries_) Note("retryPolicy", "must leave the service config, or gRPC goes on retrying and Recloser does not");
    return file;
  }

  std::vector<std::string> TakeNotes() { return std::move(notes_); }

 private:
  void Note(const std::string& path, absl::string_view text) { notes_.push_back(absl::StrCat(path, ": ", text)); }

  void NoteUnread(const JsonObject& object) {
    for (const std::string& name : object.Unread())
      Note(object.Path(name), "has no equivalent; what it does stays with the service config");
  }

  /// True if it is the default entry.
  bool ConvertEntry(JsonObject* entry, v1::PolicyFile* file) {
    v1::MethodConfig converted;
    bool has_default = false;
    for (JsonObject& name : entry->Objects("name")) {
      v1::Name* const added = converted.add_name();
      const std::string service = name.Text("service").value_or("");
      const std::string method = name.Text("method").value_or("");
      if (!service.empty()) added->set_service(service);
      if (!method.empty()) added->set_method(method);
      has_default = has_default || (service.empty() && method.empty());
      NoteUnread(name);
    }
    if (converted.name_size() == 0) {
      Note(entry->path(), "has no name, so it is for no method; left out");
      return false;
    }
    if (const auto timeout = entry->Duration("timeout")) *converted.mutable_deadline() = *timeout;
    converted.mutable_retry()->set_mode(v1::Retry::NEVER);
    if (std::optional<JsonObject> policy = entry->Object("retryPolicy")) ConvertRetry(&*policy, converted.mutable_retry());
    NoteUnread(*entry);
    *file->add_method_config() = std::move(converted);
    return has_default;
  }

  void ConvertRetry(JsonObject* from, v1::Retry* to) {
    retries_ = true;
    to->set_mode(v1::Retry::ALWAYS);
    if (const std::optional<int> attempts = Whole(from, "maxAttempts")) {
      to->set_max_attempts(std::min(*attempts, kMaxAttemptsOfGrpc));
      if (*attempts > kMaxAttemptsOfGrpc)
        Note(from->Path("maxAttempts"), absl::StrCat(*attempts, " is ", kMaxAttemptsOfGrpc, " to gRPC, too"));
    }
    auto base = from->Duration("initialBackoff");
    const auto cap = from->Duration("maxBackoff");
    if (base && cap && *cap < *base) base = cap;
    if (base) *to->mutable_backoff()->mutable_base() = *base;
    if (cap) *to->mutable_backoff()->mutable_cap() = *cap;
    if (const auto multiplier = from->Number("backoffMultiplier")) to->mutable_backoff()->set_multiplier(*multiplier);
    for (const char* const name : {"maxAttempts", "initialBackoff", "maxBackoff", "backoffMultiplier", "retryableStatusCodes"}) {
      v_.Require(from->Has(name), from->Path(name), "nothing", "is required");
    }
    ConvertCodes(from, to);
    NoteUnread(*from);
  }

  void ConvertCodes(JsonObject* from, v1::Retry* to) {
    const std::string field = "retryableStatusCodes";
    for (const std::string& word : from->Words(field)) {
      const std::string name = absl::AsciiStrToUpper(word);
      v1::Retry::Code code = v1::Retry::NONE;
      int number = 0;
      const bool is_number = absl::SimpleAtoi(name, &number);
      if (v1::Retry::Code_Parse(name, &code) && code != v1::Retry::NONE) {
        to->add_retryable_codes(code);
      } else if (is_number && number > 0 && v1::Retry::Code_IsValid(number)) {
        to->add_retryable_codes(static_cast<v1::Retry::Code>(number));
      } else if (name == "OK" || name == "CANCELLED" || (is_number && (number == 0 || number == 1))) {
        Note(from->Path(field), absl::StrCat(word, " is never retried; left out"));
      } else {
        v_.Require(false, from->Path(field), word, "must be one of gRPC's codes");
      }
    }
    if (to->retryable_codes_size() == 0) to->add_retryable_codes(v1::Retry::NONE);
  }

  void ConvertThrottling(JsonObject* from, v1::RetryBudget* to) {
    if (const std::optional<int> tokens = Whole(from, "maxTokens")) to->set_max_tokens(*tokens);
    if (const auto ratio = from->Number("tokenRatio")) to->set_token_ratio(*ratio);
    for (const char* const name : {"maxTokens", "tokenRatio"}) v_.Require(from->Has(name), from->Path(name), "nothing", "is required");
    NoteUnread(*from);
  }

  std::optional<int> Whole(JsonObject* from, const std::string& name) {
    const std::optional<double> number = from->Number(name);
    if (!number) return std::nullopt;
    const bool whole = std::nearbyint(*number) == *number && std::abs(*number) < 1e9;
    v_.Require(whole, from->Path(name), absl::StrCat(*number), "must be a whole number");
    return whole ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
  }

  Validator& v_;
  std::vector<std::string> notes_;
  bool retries_ = false;
};

}  // namespace

absl::StatusOr<ConvertedServiceConfig> ConvertServiceConfig(absl::string_view json) {
  google::protobuf::Struct config;
  if (absl::Status status = ParseMessage(json, FileFormat::kJson, kKind, &config); !status.ok()) return status;
  Validator v("");
  Converter converter(&v);
  const v1::PolicyFile file = converter.Convert(JsonObject(config, "", &v));
  if (!v.status().ok()) return v.status();
  absl::StatusOr<PolicySet> set = PolicySetFromProto(file, {});
  if (!set.ok()) return absl::InvalidArgumentError(absl::StrCat("as a policy file: ", set.status().message()));
  return ConvertedServiceConfig{PolicyFileToJson(file), std::move(set->defaults), converter.TakeNotes()};
}

absl::StatusOr<ConvertedServiceConfig> ReadServiceConfig(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadText(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<ConvertedServiceConfig> converted = ConvertServiceConfig(*text);
  if (!converted.ok()) return WithPath(path, converted.status());
  return converted;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
