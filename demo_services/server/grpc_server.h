// Starts a grpc::Server as all demo servers are: health service and reflection on, no sharing of the port.
#ifndef RECLOSER_DEMO_SERVICES_SERVER_GRPC_SERVER_H_
#define RECLOSER_DEMO_SERVICES_SERVER_GRPC_SERVER_H_

#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace recloser::demo {

/// Serves `services` on `address` (a port that is not 0). UNAVAILABLE when the port is taken, also by a server that would share it.
/// The health service says SERVING for the server and for each service by its full name, in the order of `services`.
absl::StatusOr<std::unique_ptr<grpc::Server>> StartGrpcServer(const std::string& address, const std::vector<grpc::Service*>& services,
                                                              const std::vector<std::string>& service_names);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_SERVER_GRPC_SERVER_H_
