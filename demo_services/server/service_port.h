// A gRPC server that can be closed and opened again on the same port while the process lives.
//
//   ServicePort port(std::move(reserved), {[&] { return std::make_shared<EchoService>(backend); }, v1::Echo::service_full_name(), [&] {
//   return up; }}); port.Start(); up = false; port.Poke();   // from any thread: closes soon, calls in flight are cut, connections are
//   refused
//
// While closed the port is only reserved (reserved_port.h). Opening and closing block, so they run on a thread of the port.
// Thread safety: Start and Close are for the owner, the rest for any thread.
#ifndef RECLOSER_DEMO_SERVICES_SERVER_SERVICE_PORT_H_
#define RECLOSER_DEMO_SERVICES_SERVER_SERVICE_PORT_H_

#include <grpcpp/server.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "demo_services/common/reserved_port.h"
#include "recloser/core/time.h"

namespace recloser::demo {

class ServicePort {
 public:
  struct Hooks {
    /// A new service for each opening: gRPC binds a service to one server.
    std::function<std::shared_ptr<grpc::Service>()> make_service;
    std::string service_name;
    /// Whether the port is to be open now; null: always. Called on the port's thread and in Start.
    std::function<bool()> wanted;
    /// Around the cutting of calls; may be null.
    std::function<void(bool cutting)> on_cutting;
    /// The port has just opened or closed; may be null.
    std::function<void()> on_change;
  };

  ServicePort(ReservedPort port, Hooks hooks) : port_(std::move(port)), hooks_(std::move(hooks)) {}
  ~ServicePort() { Close(Duration::zero()); }
  ServicePort(const ServicePort&) = delete;
  ServicePort& operator=(const ServicePort&) = delete;

  /// Opens, if wanted. UNAVAILABLE when the port is taken.
  absl::Status Start();
  /// Looks soon whether the port is wanted.
  void Poke();
  /// Closes for good: lets calls end for up to `drain`, then cuts them.
  void Close(Duration drain);

  bool is_open() const;
  const std::string& address() const { return port_.address(); }

 private:
  bool IsWanted() const { return hooks_.wanted == nullptr || hooks_.wanted(); }
  absl::Status Open();
  void CloseNow(Duration drain);
  void Run();

  const ReservedPort port_;
  const Hooks hooks_;
  std::shared_ptr<grpc::Service> service_;
  std::unique_ptr<grpc::Server> server_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool poked_ = false;
  bool open_ = false;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_SERVER_SERVICE_PORT_H_
