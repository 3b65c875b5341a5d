// What tests of the demo servers call with.
#ifndef RECLOSER_TEST_DEMO_DEMO_CLIENT_H_
#define RECLOSER_TEST_DEMO_DEMO_CLIENT_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "demo_services/fault/plan.h"
#include "recloser/demo/v1/echo.grpc.pb.h"
#include "recloser/demo/v1/fault.grpc.pb.h"

namespace recloser::demo {

/// A channel of its own connection that reconnects at once and does not retry.
inline std::shared_ptr<grpc::Channel> ConnectTo(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
  // In spite of its name how long a connection attempt may take: on a loaded machine 20 ms are too few.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 20);
  arguments.SetMaxReceiveMessageSize(-1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

/// A context whose deadline only ends a test that hangs.
inline std::unique_ptr<grpc::ClientContext> Context(std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() + timeout);
  return context;
}

inline v1::FaultPlan Plan(const std::string& json) {
  absl::StatusOr<v1::FaultPlan> plan = ParsePlan(json, FileFormat::kJson);
  if (!plan.ok()) ADD_FAILURE() << plan.status();
  return plan.value_or(v1::FaultPlan());
}

/// Waits until `condition` holds, at most 10 s.
inline bool Eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

}  // namespace recloser::demo

#endif  // RECLOSER_TEST_DEMO_DEMO_CLIENT_H_
