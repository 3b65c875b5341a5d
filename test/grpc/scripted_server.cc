#include "scripted_server.h"

#include <thread>
#include <utility>

namespace recloser::testing {
namespace {

using Ms = std::chrono::milliseconds;

std::optional<Ms> DeadlineLeft(const grpc::ServerContextBase& context) {
  const auto deadline = context.deadline();
  if (deadline == std::chrono::system_clock::time_point::max()) return std::nullopt;
  const auto left = std::chrono::duration_cast<Ms>(deadline - std::chrono::system_clock::now());
  if (left > std::chrono::hours(24 * 365)) return std::nullopt;
  return left;
}

// Sleeps as long as the script says, but not beyond the client's interest.
bool Pause(const grpc::ServerContext& context, const Reply& reply) {
  const auto end = std::chrono::steady_clock::now() + reply.delay;
  while (reply.until_cancelled || std::chrono::steady_clock::now() < end) {
    if (context.IsCancelled()) return false;
    std::this_thread::sleep_for(Ms(1));
  }
  return true;
}

}  // namespace

void Note(const grpc::ServerContextBase& context, Seen& seen) {
  for (const auto& [key, value] : context.client_metadata()) {
    seen.metadata.emplace(std::string(key.data(), key.size()), std::string(value.data(), value.size()));
  }
  const auto authority = context.ExperimentalGetAuthority();
  seen.authority = std::string(authority.data(), authority.size());
  seen.deadline_left = DeadlineLeft(context);
}

ScriptedServer::ScriptedServer(Script script, std::shared_ptr<grpc::ServerCredentials> credentials, std::string address,
                               std::function<void(grpc::ServerBuilder&)> configure)
    : credentials_(std::move(credentials)), target_(std::move(address)), configure_(std::move(configure)), script_(std::move(script)) {
  Start();
}

ScriptedServer::~ScriptedServer() { Stop(); }

void ScriptedServer::Start() {
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort(target_, credentials_, &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterService(this);
  if (configure_) configure_(builder);
  server_ = builder.BuildAndStart();
  target_ = "127.0.0.1:" + std::to_string(port);
}

void ScriptedServer::Stop(Ms grace) {
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now() + grace);
  server_ = nullptr;
}

std::shared_ptr<grpc::Channel> ScriptedServer::InProcessChannel(InterceptorFactories factories) {
  return server_->experimental().InProcessChannelWithInterceptors(grpc::ChannelArguments(), std::move(factories));
}

std::vector<Seen> ScriptedServer::seen() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return seen_;
}

void ScriptedServer::SetScript(Script script) {
  const std::lock_guard<std::mutex> lock(mutex_);
  script_ = std::move(script);
}

template <class Respond>
grpc::Status ScriptedServer::Serve(const char* method, grpc::ServerContext* context, const std::string& payload, const Respond& respond) {
  Seen seen;
  seen.method = method;
  seen.payload = payload;
  Note(*context, seen);
  Script script;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    seen.index = static_cast<int>(seen_.size());
    seen_.push_back(seen);
    script = script_;
  }
  Reply reply = script(seen);
  if (reply.payload.empty()) reply.payload = payload;
  for (const auto& [key, value] : reply.headers) context->AddInitialMetadata(key, value);
  for (const auto& [key, value] : reply.trailers) context->AddTrailingMetadata(key, value);
  return respond(reply);
}

grpc::Status ScriptedServer::Echo(grpc::ServerContext* context, const demo::v1::EchoRequest* request, demo::v1::EchoResponse* response) {
  return Serve("Echo", context, request->payload(), [&](const Reply& reply) {
    if (!Pause(*context, reply)) return grpc::Status(grpc::StatusCode::CANCELLED, "the client is gone");
    response->set_payload(reply.payload);
    return reply.status;
  });
}

grpc::Status ScriptedServer::Increment(grpc::ServerContext* context, const demo::v1::EchoRequest* request,
                                       demo::v1::EchoResponse* response) {
  return Serve("Increment", context, request->payload(), [&](const Reply& reply) {
    if (!Pause(*context, reply)) return grpc::Status(grpc::StatusCode::CANCELLED, "the client is gone");
    response->set_payload(reply.payload);
    return reply.status;
  });
}

grpc::Status ScriptedServer::ServerStream(grpc::ServerContext* context, const demo::v1::EchoRequest* request,
                                          grpc::ServerWriter<demo::v1::EchoResponse>* writer) {
  return Serve("ServerStream", context, request->payload(), [&](const Reply& reply) {
    if (reply.headers_first) writer->SendInitialMetadata();
    demo::v1::EchoResponse response;
    response.set_payload(reply.payload);
    for (int i = 0; i < reply.messages; ++i) {
      std::this_thread::sleep_for(reply.gap);
      writer->Write(response);
    }
    if (!Pause(*context, reply)) return grpc::Status(grpc::StatusCode::CANCELLED, "the client is gone");
    return reply.status;
  });
}

grpc::Status ScriptedServer::ClientStream(grpc::ServerContext* context, grpc::ServerReader<demo::v1::EchoRequest>* reader,
                                          demo::v1::EchoResponse* response) {
  return Serve("ClientStream", context, "", [&](const Reply& reply) {
    if (!Pause(*context, reply)) return grpc::Status(grpc::StatusCode::CANCELLED, "the client is gone");
    if (!reply.status.ok()) return reply.status;
    demo::v1::EchoRequest request;
    std::uint32_t count = 0;
    while (reader->Read(&request)) ++count;
    response->set_message_index(count);
    return reply.status;
  });
}

grpc::Status ScriptedServer::BidiStream(grpc::ServerContext* context,
                                        grpc::ServerReaderWriter<demo::v1::EchoResponse, demo::v1::EchoRequest>* stream) {
  return Serve("BidiStream", context, "", [&](const Reply& reply) {
    demo::v1::EchoRequest request;
    demo::v1::EchoResponse response;
    for (int i = 0; i < reply.messages && stream->Read(&request); ++i) {
      std::this_thread::sleep_for(reply.gap);
      response.set_payload(request.payload());
      stream->Write(response);
    }
    if (!Pause(*context, reply)) return grpc::Status(grpc::StatusCode::CANCELLED, "the client is gone");
    if (reply.status.ok()) {
      while (stream->Read(&request)) {
      }
    }
    return reply.status;
  });
}

}  // namespace recloser::testing
