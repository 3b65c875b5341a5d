// What an epoch's calls run in: registry, policies, exporter and channels, and what is done to them meanwhile.
#ifndef RECLOSER_TEST_STRESS_WORLD_H_
#define RECLOSER_TEST_STRESS_WORLD_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "callers.h"
#include "counters.h"
#include "plan.h"
#include "recloser/prometheus/exporter.h"
#include "recloser/recloser.h"

namespace recloser::stress {

class World {
 public:
  World(const EpochPlan& epoch, std::string target);

  /// From any thread.
  std::shared_ptr<Stubs> stubs(int call) const;
  /// One thing of those that the epoch allows, by one thread.
  void Meddle(Random& random);
  /// Lets everything go, in any order.
  void Release(Random& random);

  const Counters& counters() const { return *counters_; }
  /// Of those interceptors behind Recloser's that the epoch may have.
  std::int64_t foreign_attempts() const { return foreign_attempts_->load(); }
  int meddled() const { return meddled_; }
  /// Now that no call is left: what does not add up, one line each. Before `Release`.
  std::vector<std::string> FaultsAtRest() const;

 private:
  std::shared_ptr<Stubs> Connect() const;
  void Recycle(Random& random);
  void Reload(Random& random);
  void Control(Random& random);
  void Look() const;
  std::vector<std::string> FaultsOfExporter() const;

  const EpochPlan& epoch_;
  const std::string target_;
  const std::shared_ptr<Counters> counters_ = std::make_shared<Counters>();
  const std::shared_ptr<std::atomic<std::int64_t>> foreign_attempts_ = std::make_shared<std::atomic<std::int64_t>>(0);
  std::shared_ptr<Registry> registry_;
  std::shared_ptr<PolicySource> source_;
  std::shared_ptr<PrometheusExporter> exporter_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Stubs>> stubs_;  // guarded by `mutex_`
  int meddled_ = 0;
  std::vector<std::string> faults_;  // seen by `Meddle`
};

}  // namespace recloser::stress

#endif  // RECLOSER_TEST_STRESS_WORLD_H_
