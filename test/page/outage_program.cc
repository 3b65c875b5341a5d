// A process with breakers, a status page and an outage on demand, without gRPC: what the browser test looks at.
//
// Prints the page's URL. Each line of its input is an order: "down" and "up" are about the service, "problem" tells one. Ends with its
// input.
#include <atomic>
#include <chrono>
#include <deque>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "recloser/core/policy_source.h"
#include "recloser/core/registry.h"
#include "recloser/core/retry.h"
#include "recloser/page/status_page.h"

namespace recloser {
namespace {

constexpr char kTarget[] = "dns:///orders.example:443";
constexpr Duration kPeriod = std::chrono::milliseconds(10);
constexpr Duration kLatency = std::chrono::milliseconds(20);

Time Now() { return FromSteadyClock(std::chrono::steady_clock::now()); }

/// 100 attempts per second to one method, each answered after kLatency.
class Method {
 public:
  Method(std::shared_ptr<SharedBreaker> breaker, const std::atomic<bool>* down) : breaker_(std::move(breaker)), down_(down) {}

  void Step(Time now) {
    while (!in_flight_.empty() && Elapsed(in_flight_.front().started, now) >= kLatency) {
      AttemptResult result;
      if (down_ != nullptr && down_->load()) result.code = absl::StatusCode::kUnavailable;
      breaker_->Record(in_flight_.front(), now, result);
      in_flight_.pop_front();
    }
    const Admission admission = breaker_->TryAcquire(now, {});
    if (!admission.admitted) return;
    Permit permit = admission.permit;
    permit.started = now;
    in_flight_.push_back(permit);
  }

 private:
  const std::shared_ptr<SharedBreaker> breaker_;
  const std::atomic<bool>* const down_;  // null: it never is
  std::deque<Permit> in_flight_;
};

int Main() {
  const std::shared_ptr<Registry> registry = Registry::Create();
  StatusPageOptions options;
  options.title = "checkout-7";
  options.controls = true;
  options.token = "a-token-for-tests";
  const auto page = StatusPage::Start(options, registry, &Now);
  if (!page.ok()) {
    std::cerr << page.status() << '\n';
    return 1;
  }

  std::atomic<bool> down{false};
  std::vector<Method> methods;
  const auto add = [&](const std::string& service, const std::string& method, const BreakerOptions& breaker,
                       const std::atomic<bool>* failing) {
    methods.emplace_back(registry->FindOrCreate({kTarget, service, method}, breaker, Now()), failing);
  };
  BreakerOptions shadow;
  shadow.mode = BreakerMode::kShadow;
  BreakerOptions standard;
  standard.kind = StandardBreakerOptions{};
  add("shop.Orders", "Get", {}, &down);
  add("shop.Orders", "Put", {}, nullptr);
  add("shop.Stock", "Reserve", shadow, &down);
  add("shop.Stock", "Count", standard, nullptr);
  add("shop.Mail", "Send", {}, nullptr);
  add("shop.Mail", "<img src=x onerror=document.title='taken'>", {}, nullptr);
  registry->Find(kTarget, "shop.Mail/Send")->ForceOpen(Now());
  const auto budget = std::make_shared<RetryBudget>(RetryBudgetOptions{});
  registry->AddBudget(kTarget, budget);
  // Of one name.
  const std::shared_ptr<PolicySource> sources[] = {PolicySource::Create({}, {"policies.json", "1111"}),
                                                   PolicySource::Create({}, {"policies.json", "2222"})};
  for (const std::shared_ptr<PolicySource>& source : sources) registry->AddSource(source);

  std::atomic<bool> stop{false};
  std::thread calls([&] {
    auto next = std::chrono::steady_clock::now();
    while (!stop.load()) {
      for (Method& method : methods) method.Step(Now());
      std::this_thread::sleep_until(next += kPeriod);
    }
  });
  std::cout << (*page)->url() << std::endl;
  for (std::string order; std::getline(std::cin, order);) {
    if (order == "problem") registry->Report({Problem::Kind::kHookThrew, kTarget, "<script>document.title='taken'</script>"});
    if (order == "down" || order == "up") down.store(order == "down");
    if (order == "down") {
      for (int i = 0; i < 60; ++i) budget->Withdraw();
    }
  }
  stop.store(true);
  calls.join();
  return 0;
}

}  // namespace
}  // namespace recloser

int main() { return recloser::Main(); }
