// The series of the policies' sources.
//
// A source says what it is now and what it has counted since it was made. Sources come and go and may be named anew, and a counter must do
// neither: what a source has counted more than at the scrape before is added to the name that it has now.
//
// Thread safety: any member from any thread. The lock here is taken by scrapes only.
#ifndef RECLOSER_PROMETHEUS_SRC_CONFIG_METRICS_H_
#define RECLOSER_PROMETHEUS_SRC_CONFIG_METRICS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "page.h"
#include "recloser/core/policy_source.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class ConfigMetrics {
 public:
  /// `sources`: those that live. Of two with one name the worse is shown, and their counts together.
  void Export(const std::vector<std::shared_ptr<PolicySource>>& sources, Page& page) const;

 private:
  struct Counts {
    std::uint64_t applied = 0;
    std::uint64_t unchanged = 0;
    std::uint64_t refused = 0;
  };
  struct Seen {
    std::weak_ptr<PolicySource> source;
    Counts counts;
  };

  // With `mutex_` held:
  /// The name under which a source is shown.
  std::string NameOf(const PolicySourceStatus& status) const;
  /// What the source had counted at the scrape before.
  Counts& SeenOf(const std::shared_ptr<PolicySource>& source) const;
  void Count(const std::shared_ptr<PolicySource>& source, const PolicySourceStatus& status, Counts* total) const;

  mutable std::mutex mutex_;
  // All below: guarded by `mutex_`.
  mutable std::vector<Seen> seen_;
  mutable std::map<std::string, Counts> totals_;  // by the source's name
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_PROMETHEUS_SRC_CONFIG_METRICS_H_
