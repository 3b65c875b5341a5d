// What the readers of the documents have around the pieces of C++ that these show.
#ifndef RECLOSER_TEST_DOCS_SNIPPETS_PRELUDE_H_
#define RECLOSER_TEST_DOCS_SNIPPETS_PRELUDE_H_

#include <grpcpp/grpcpp.h>
#include <recloser/config/policy_file.h>
#include <recloser/events/decision_trace.h>
#include <recloser/events/event_log.h>
#include <recloser/events/sinks.h>
#include <recloser/recloser.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "absl/status/status.h"

namespace orders {

class Orders {
 public:
  class Stub {};
  static std::unique_ptr<Stub> NewStub(const std::shared_ptr<grpc::ChannelInterface> &) { return std::make_unique<Stub>(); }
};

}  // namespace orders

#define LOG(severity) std::cerr

#define SNIPPET_PARAMETERS                                                                                                   \
  [[maybe_unused]] const std::string &target, [[maybe_unused]] const std::shared_ptr<grpc::ChannelCredentials> &credentials, \
      [[maybe_unused]] grpc::ClientContext &context, [[maybe_unused]] const std::shared_ptr<recloser::PolicyFile> &policy_file

#endif  // RECLOSER_TEST_DOCS_SNIPPETS_PRELUDE_H_
