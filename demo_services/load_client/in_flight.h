// The calls that exist: made here, counted until the last reference to them is gone, cancelled all at once.
//
// Thread safety: any member from any thread.
#ifndef RECLOSER_DEMO_SERVICES_LOAD_CLIENT_IN_FLIGHT_H_
#define RECLOSER_DEMO_SERVICES_LOAD_CLIENT_IN_FLIGHT_H_

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "demo_services/load_client/call.h"

namespace recloser::demo {

class InFlight {
 public:
  /// A new call. This object must outlive it.
  std::shared_ptr<Call> Make();

  std::size_t size() const;
  /// Cancels every call that exists.
  void CancelAll();
  /// True when no call exists any more; false at `time`.
  bool WaitUntilEmpty(std::chrono::steady_clock::time_point time) const;

 private:
  void Delete(Call* call);

  mutable std::mutex mutex_;
  mutable std::condition_variable empty_;
  std::unordered_map<Call*, std::weak_ptr<Call>> calls_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_LOAD_CLIENT_IN_FLIGHT_H_
