#include "config_metrics.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

// More than any process has files of policies; names made up at run time must not become series without end.
constexpr std::size_t kNamesMax = 100;
constexpr char kOther[] = "other";

/// What holds of all sources of one name.
struct Now {
  std::uint64_t generation = 0;
  bool successful = true;
  std::set<std::string> hashes;
};

void ExportNow(const std::string& name, const Now& now, Page& page) {
  const Labels source = With({}, {{"source", name}});
  for (const std::string& hash : now.hashes) page.Add(MetricKey::kConfigInfo, With(source, {{"hash", hash}}), 1);
  page.Add(MetricKey::kConfigGeneration, source, now.generation);
  page.Add(MetricKey::kConfigLastReload, source, now.successful ? 1 : 0);
}

}  // namespace

ConfigMetrics::Counts& ConfigMetrics::SeenOf(const std::shared_ptr<PolicySource>& source) const {
  for (Seen& seen : seen_) {
    if (!seen.source.owner_before(source) && !source.owner_before(seen.source)) return seen.counts;
  }
  return seen_.emplace_back(Seen{source, {}}).counts;
}

std::string ConfigMetrics::NameOf(const PolicySourceStatus& status) const {
  const bool known = totals_.count(status.origin.name) > 0;
  return known || totals_.size() < kNamesMax ? status.origin.name : kOther;
}

void ConfigMetrics::Count(const std::shared_ptr<PolicySource>& source, const PolicySourceStatus& status, Counts* total) const {
  Counts& before = SeenOf(source);
  total->applied += status.applied - before.applied;
  total->unchanged += status.unchanged - before.unchanged;
  total->refused += status.refused - before.refused;
  before = {status.applied, status.unchanged, status.refused};
}

void ConfigMetrics::Export(const std::vector<std::shared_ptr<PolicySource>>& sources, Page& page) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  seen_.erase(std::remove_if(seen_.begin(), seen_.end(), [](const Seen& seen) { return seen.source.expired(); }), seen_.end());
  std::map<std::string, Now> by_name;
  for (const std::shared_ptr<PolicySource>& source : sources) {
    const PolicySourceStatus status = source->status();
    const std::string name = NameOf(status);
    Count(source, status, &totals_[name]);
    Now& now = by_name[name];
    now.generation = std::max(now.generation, status.generation);
    now.successful = now.successful && status.last_error.empty();
    now.hashes.insert(status.origin.hash);
  }
  for (const auto& [name, now] : by_name) ExportNow(name, now, page);
  for (const auto& [name, total] : totals_) {
    const auto add = [&, source = name](absl::string_view result, std::uint64_t count) {
      page.Add(MetricKey::kConfigReloads, With({}, {{"source", source}, {"result", result}}), count);
    };
    add("applied", total.applied);
    add("unchanged", total.unchanged);
    add("refused", total.refused);
  }
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
