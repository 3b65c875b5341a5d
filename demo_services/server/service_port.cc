#include "demo_services/server/service_port.h"

#include <chrono>

#include "demo_services/server/grpc_server.h"

namespace recloser::demo {
namespace {

/// Between attempts to open a port that a stranger has taken meanwhile.
constexpr std::chrono::milliseconds kRetryOpening(50);

}  // namespace

absl::Status ServicePort::Start() {
  if (IsWanted()) {
    if (absl::Status status = Open(); !status.ok()) return status;
  }
  thread_ = std::thread([this] { Run(); });
  return absl::OkStatus();
}

void ServicePort::Poke() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    poked_ = true;
  }
  wake_.notify_one();
}

void ServicePort::Close(Duration drain) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  CloseNow(drain);
}

bool ServicePort::is_open() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return open_;
}

absl::Status ServicePort::Open() {
  service_ = hooks_.make_service();
  absl::StatusOr<std::unique_ptr<grpc::Server>> server = StartGrpcServer(port_.address(), {service_.get()}, {hooks_.service_name});
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
  }
  if (hooks_.on_change != nullptr) hooks_.on_change();
  return absl::OkStatus();
}

void ServicePort::CloseNow(Duration drain) {
  if (server_ == nullptr) return;
  if (hooks_.on_cutting != nullptr) hooks_.on_cutting(true);
  // gRPC waits for the drain and cuts what is left; it returns when the last call's reactor is done.
  server_->Shutdown(std::chrono::system_clock::now() + std::chrono::duration_cast<std::chrono::system_clock::duration>(drain));
  server_ = nullptr;
  service_ = nullptr;
  if (hooks_.on_cutting != nullptr) hooks_.on_cutting(false);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = false;
  }
  if (hooks_.on_change != nullptr) hooks_.on_change();
}

void ServicePort::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return ended_ || poked_; });
    if (ended_) return;
    poked_ = false;
    const bool was_open = open_;
    lock.unlock();
    const bool wanted = IsWanted();
    bool failed = false;
    if (wanted && !was_open) failed = !Open().ok();
    if (!wanted && was_open) CloseNow(Duration::zero());
    lock.lock();
    if (failed) {
      wake_.wait_for(lock, kRetryOpening, [this] { return ended_; });
      poked_ = true;
    }
  }
}

}  // namespace recloser::demo
