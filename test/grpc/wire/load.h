// Many callers at once, while something happens to the connection.
#ifndef RECLOSER_TEST_GRPC_WIRE_LOAD_H_
#define RECLOSER_TEST_GRPC_WIRE_LOAD_H_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "api_forms.h"

namespace recloser::testing {

/// Calls `method` in all forms, from several threads without a pause, until it is stopped.
class Load {
 public:
  Load(std::shared_ptr<grpc::ChannelInterface> channel, const char* method) {
    for (int i = 0; i < kThreads; ++i) {
      threads_.emplace_back([this, channel, method, i] {
        for (std::size_t call = static_cast<std::size_t>(i); !stop_; ++call) {
          CallSpec spec;
          spec.method = method;
          spec.prepare = [](grpc::ClientContext& context) {
            context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(15));
          };
          const CallResult result = Call(kAllForms[call % std::size(kAllForms)], channel, std::move(spec));
          if (result.status.ok()) {
            EXPECT_EQ(result.payload, "hello");
          }
          const std::lock_guard<std::mutex> lock(mutex_);
          ++ended_[result.status.error_code()];
          if (!result.status.ok()) messages_.push_back(result.status.error_message());
        }
      });
    }
  }
  ~Load() { Stop(); }

  void Stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  int calls() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    int sum = 0;
    for (const auto& [code, count] : ended_) sum += count;
    return sum;
  }
  int ok() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = ended_.find(grpc::StatusCode::OK);
    return it == ended_.end() ? 0 : it->second;
  }
  int failed() const { return calls() - ok(); }
  std::map<grpc::StatusCode, int> ended() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ended_;
  }
  std::vector<std::string> messages() const {  // of those that failed
    const std::lock_guard<std::mutex> lock(mutex_);
    return messages_;
  }

 private:
  static constexpr int kThreads = 4;

  mutable std::mutex mutex_;
  std::map<grpc::StatusCode, int> ended_;
  std::vector<std::string> messages_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_WIRE_LOAD_H_
