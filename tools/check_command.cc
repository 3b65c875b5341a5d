#include "check_command.h"

#include <CLI/Option.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "policy_report.h"
#include "recloser/config/policies.h"
#include "recloser/config/policy_advice.h"
#include "recloser/config/service_config.h"

namespace recloser::tools {
namespace {

constexpr int kExitWarnings = 1;
constexpr int kExitBad = 2;

struct Flags {
  std::vector<std::string> files;
  std::string service_config;
  std::string descriptors;
  std::vector<std::string> parts;
  bool strict = false;
  bool json = false;
};

/// Stands for a metric of the application.
class NamedMetric final : public Metric {
 public:
  explicit NamedMetric(std::string name) : name_(std::move(name)) {}
  absl::string_view name() const override { return name_; }
  std::optional<double> Score(const AttemptObservation&) const override { return std::nullopt; }

 private:
  const std::string name_;
};

/// Of each name one of each kind.
PolicyParts Parts(const std::vector<std::string>& names) {
  const auto factory =
      std::make_shared<const CustomBreaker::Factory>([](Time now, Random random) { return MakeBreaker(BreakerOptions(), now, random); });
  PolicyParts parts;
  for (const std::string& name : names) {
    parts.metrics.push_back(std::make_shared<NamedMetric>(name));
    parts.breakers.push_back({name, factory});
    parts.classifiers[name] = [](const AttemptResult&) { return std::nullopt; };
  }
  return parts;
}

int Fail(absl::string_view message) {
  std::fprintf(stderr, "recloser: %s\n", std::string(message).c_str());
  return kExitBad;
}

bool ReadDescriptors(const std::string& path, google::protobuf::FileDescriptorSet* set) {
  std::ifstream file(path, std::ios::binary);
  return file.is_open() && set->ParseFromIstream(&file);
}

std::string HashOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return PolicyHash(std::string(std::istreambuf_iterator<char>(file), {}));
}

CheckedFile CheckFile(const std::string& path, const PolicyParts& parts, const AdviceOptions& options) {
  CheckedFile file;
  file.path = path;
  absl::StatusOr<PolicySet> set = ReadPolicyFile(path, parts);
  file.status = set.status();
  if (!set.ok()) return file;
  file.hash = HashOf(path);
  file.set = *std::move(set);
  file.advice = Advise(file.set, options);
  return file;
}

int ExitCode(const std::vector<CheckedFile>& files, bool strict) {
  const auto is_warning = [](const PolicyAdvice& advice) { return advice.level == PolicyAdvice::Level::kWarning; };
  int code = 0;
  for (const CheckedFile& file : files) {
    if (!file.status.ok()) return kExitBad;
    if (strict && std::any_of(file.advice.begin(), file.advice.end(), is_warning)) code = kExitWarnings;
  }
  return code;
}

int Check(const Flags& flags) {
  AdviceOptions options;
  absl::StatusOr<ConvertedServiceConfig> service_config = absl::NotFoundError("");
  if (!flags.service_config.empty()) {
    service_config = ReadServiceConfig(flags.service_config);
    if (!service_config.ok()) return Fail(service_config.status().message());
    options.service_config = &service_config->policies;
  }
  google::protobuf::FileDescriptorSet descriptors;
  if (!flags.descriptors.empty()) {
    if (!ReadDescriptors(flags.descriptors, &descriptors)) {
      return Fail(absl::StrCat(flags.descriptors, ": cannot be read as a FileDescriptorSet (protoc --descriptor_set_out)"));
    }
    options.descriptors = &descriptors;
  }
  std::vector<CheckedFile> files;
  for (const std::string& path : flags.files) files.push_back(CheckFile(path, Parts(flags.parts), options));
  for (const CheckedFile& file : files) {
    if (!file.status.ok()) Fail(file.status.message());
    if (file.status.ok() && !flags.json) std::fputs(PolicyText(file, options.descriptors).c_str(), stdout);
  }
  if (flags.json) std::fputs(PolicyJson(files).c_str(), stdout);
  return ExitCode(files, flags.strict);
}

}  // namespace

void AddCheckCommand(CLI::App* app, int* exit_code) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* const command = app->add_subcommand("check", "Check policy files and print the policy of each method");
  command->add_option("files", flags->files, "Policy files")->required();
  command->add_option("--service-config", flags->service_config, "gRPC's service config of the same channels: are calls retried twice?");
  command->add_option("--descriptors", flags->descriptors,
                      "The services' descriptors (protoc --descriptor_set_out): are names right, which methods may be repeated?");
  command->add_option("--part", flags->parts,
                      "A name that the application provides: of a metric, a breaker or a classifier; may be repeated");
  command->add_flag("--strict", flags->strict, "Exit with 1 when there are warnings");
  command->add_flag("--json", flags->json, "Print JSON, with all defaults");
  command->callback([flags, exit_code] { *exit_code = Check(*flags); });
}

}  // namespace recloser::tools
