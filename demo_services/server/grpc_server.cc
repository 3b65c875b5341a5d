#include "demo_services/server/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "demo_services/echo/reply.h"

namespace recloser::demo {
namespace {

/// gRPC keeps both switches per process.
bool SwitchPluginsOn() {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<grpc::Server>> StartGrpcServer(const std::string& address, const std::vector<grpc::Service*>& services,
                                                              const std::vector<std::string>& service_names) {
  static const bool plugins_on = SwitchPluginsOn();
  static_cast<void>(plugins_on);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetMaxSendMessageSize(kMaxMessageBytes);
  for (grpc::Service* service : services) builder.RegisterService(service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return absl::UnavailableError(absl::StrCat("cannot listen on ", address));
  if (grpc::HealthCheckServiceInterface* health = server->GetHealthCheckService(); health != nullptr) {
    for (const std::string& name : service_names) health->SetServingStatus(name, true);
  }
  return server;
}

}  // namespace recloser::demo
