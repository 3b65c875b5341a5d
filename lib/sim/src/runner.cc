#include "recloser/sim/runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "recloser/sim/variations.h"

namespace recloser::sim {
namespace {

constexpr std::chrono::milliseconds kProgressInterval{200};

struct Task {
  const Plan* plan;
  const Scenario* scenario;
  const Arm* arm;
  Pattern pattern;
  std::uint64_t seed;
};

/// Seeds outermost: what an early end leaves is complete for the first seeds.
std::vector<Task> TasksOf(const std::vector<Plan>& plans) {
  int seeds = 0;
  for (const Plan& plan : plans) seeds = std::max(seeds, plan.seeds);
  std::vector<Task> tasks;
  for (int i = 0; i < seeds; ++i) {
    for (const Plan& plan : plans) {
      if (i >= plan.seeds) continue;
      for (const Scenario& scenario : plan.scenarios) {
        for (const Arm& arm : plan.arms) {
          for (const Pattern pattern : plan.patterns) {
            tasks.push_back({&plan, &scenario, &arm, pattern, plan.first_seed + static_cast<std::uint64_t>(i)});
          }
        }
      }
    }
  }
  return tasks;
}

class Workers {
 public:
  explicit Workers(const std::vector<Plan>& plans) : tasks_(TasksOf(plans)), results_(tasks_.size()) {}

  std::vector<RunRecord> Run(const std::function<bool(const Progress&)>& progress, int threads) {
    const std::size_t processors = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t wanted = threads > 0 ? static_cast<std::size_t>(threads) : processors;
    std::vector<std::thread> started;
    for (std::size_t i = 0; i < std::min(wanted, tasks_.size()); ++i) started.emplace_back([this] { Work(); });
    Supervise(progress);
    for (std::thread& thread : started) thread.join();
    return Records();
  }

 private:
  void Work() {
    RunOptions options;
    options.stop = [this] { return stop_.load(std::memory_order_relaxed); };
    while (!stop_.load(std::memory_order_relaxed)) {
      const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= tasks_.size()) return;
      const Task& task = tasks_[index];
      options.pattern = task.pattern;
      options.series_step = task.plan->series_step;
      results_[index] = Simulate(task.plan->varied ? Varied(*task.scenario, task.seed) : *task.scenario, *task.arm, options, task.seed);
      const std::lock_guard<std::mutex> lock(mutex_);
      ++done_;
      if (done_ == results_.size()) all_done_.notify_one();
    }
  }

  void Supervise(const std::function<bool(const Progress&)>& progress) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (done_ < results_.size()) {
      all_done_.wait_for(lock, kProgressInterval);
      const Progress now{static_cast<std::int64_t>(done_), static_cast<std::int64_t>(results_.size())};
      lock.unlock();
      const bool go_on = !progress || progress(now);
      lock.lock();
      if (go_on) continue;
      stop_.store(true, std::memory_order_relaxed);
      return;
    }
  }

  std::vector<RunRecord> Records() {
    std::vector<RunRecord> records;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!results_[i].has_value()) continue;
      const Task& task = tasks_[i];
      records.push_back({task.scenario->id, task.arm->name, task.pattern, task.seed, *std::move(results_[i])});
    }
    return records;
  }

  const std::vector<Task> tasks_;
  std::vector<std::optional<RunResult>> results_;  // each written by one thread
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable all_done_;
  std::size_t done_ = 0;  // guarded by `mutex_`
};

}  // namespace

std::vector<RunRecord> RunAll(const std::vector<Plan>& plans, const std::function<bool(const Progress&)>& progress, int threads) {
  return Workers(plans).Run(progress, threads);
}

}  // namespace recloser::sim
