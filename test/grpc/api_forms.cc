#include "api_forms.h"

#include <grpcpp/generic/generic_stub.h>

#include <future>
#include <thread>
#include <utility>

#include "await.h"
#include "gtest/gtest.h"

namespace recloser::testing {
namespace {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;

bool IsEcho(const CallSpec& spec) { return std::string(spec.method) == "Echo"; }

EchoRequest Request(const CallSpec& spec) {
  EchoRequest request;
  request.set_payload(spec.payload);
  return request;
}

std::unique_ptr<grpc::ClientContext> Prepare(CallSpec& spec) {
  auto context = spec.context != nullptr ? std::move(spec.context) : std::make_unique<grpc::ClientContext>();
  if (spec.prepare) spec.prepare(*context);
  return context;
}

// Runs `meanwhile` beside a blocking call.
class Meanwhile {
 public:
  Meanwhile(const CallSpec& spec, grpc::ClientContext& context) {
    if (spec.meanwhile) thread_ = std::thread([&spec, &context] { spec.meanwhile(context); });
  }
  ~Meanwhile() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

CallResult Finished(const grpc::ClientContext& context, const grpc::Status& status, const EchoResponse& response, bool tag_ok = true) {
  CallResult result;
  result.status = status;
  result.payload = response.payload();
  result.messages = status.ok() ? 1 : 0;
  result.tag_ok = tag_ok;
  result.headers = Strings(context.GetServerInitialMetadata());
  result.trailers = Strings(context.GetServerTrailingMetadata());
  return result;
}

CallResult CallSync(Echo::Stub& stub, CallSpec& spec) {
  const auto context = Prepare(spec);
  const EchoRequest request = Request(spec);
  EchoResponse response;
  grpc::Status status;
  {
    const Meanwhile meanwhile(spec, *context);
    status = IsEcho(spec) ? stub.Echo(context.get(), request, &response) : stub.Increment(context.get(), request, &response);
  }
  return Finished(*context, status, response);
}

CallResult CallQueue(Echo::Stub& stub, CallSpec& spec, bool two_batches) {
  const auto context = Prepare(spec);
  grpc::CompletionQueue queue;
  auto reader = IsEcho(spec) ? stub.PrepareAsyncEcho(context.get(), Request(spec), &queue)
                             : stub.PrepareAsyncIncrement(context.get(), Request(spec), &queue);
  EchoResponse response;
  grpc::Status status;
  reader->StartCall();
  const Meanwhile meanwhile(spec, *context);  // beside: a call goes on only while its queue is polled
  if (two_batches) {
    reader->ReadInitialMetadata(&queue);
    Next(queue, &queue);
  }
  reader->Finish(&response, &status, &status);
  const bool ok = Next(queue, &status);
  return Finished(*context, status, response, ok);
}

CallResult CallCallback(Echo::Stub& stub, CallSpec& spec) {
  const auto context = Prepare(spec);
  auto request = std::make_unique<EchoRequest>(Request(spec));
  EchoResponse response;
  std::promise<grpc::Status> done;
  const auto on_done = [&done](grpc::Status status) { done.set_value(std::move(status)); };
  if (IsEcho(spec)) {
    stub.async()->Echo(context.get(), request.get(), &response, on_done);
  } else {
    stub.async()->Increment(context.get(), request.get(), &response, on_done);
  }
  request.reset();  // gRPC allows it, retries must survive it
  if (spec.meanwhile) spec.meanwhile(*context);
  const grpc::Status status = Await(done.get_future());
  return Finished(*context, status, response);
}

CallResult CallReactor(Echo::Stub& stub, CallSpec& spec) {
  struct Reactor final : grpc::ClientUnaryReactor {
    void OnDone(const grpc::Status& status) override { done.set_value(status); }
    std::promise<grpc::Status> done;
  } reactor;
  const auto context = Prepare(spec);
  auto request = std::make_unique<EchoRequest>(Request(spec));
  EchoResponse response;
  if (IsEcho(spec)) {
    stub.async()->Echo(context.get(), request.get(), &response, &reactor);
  } else {
    stub.async()->Increment(context.get(), request.get(), &response, &reactor);
  }
  reactor.StartCall();
  request.reset();
  if (spec.meanwhile) spec.meanwhile(*context);
  const grpc::Status status = Await(reactor.done.get_future());
  return Finished(*context, status, response);
}

CallResult CallGeneric(const std::shared_ptr<grpc::ChannelInterface>& channel, CallSpec& spec) {
  const auto context = Prepare(spec);
  grpc::GenericStub stub(channel);
  const EchoRequest message = Request(spec);
  grpc::ByteBuffer request;
  grpc::ByteBuffer reply;
  bool own_buffer = false;
  EXPECT_TRUE(grpc::SerializationTraits<EchoRequest>::Serialize(message, &request, &own_buffer).ok());
  grpc::CompletionQueue queue;
  // The name is a temporary, as with a literal: gRPC does not copy it.
  auto reader = stub.PrepareUnaryCall(context.get(), std::string("/recloser.demo.v1.Echo/") + spec.method, request, &queue);
  grpc::Status status;
  reader->StartCall();
  const Meanwhile meanwhile(spec, *context);
  reader->Finish(&reply, &status, &status);
  const bool ok = Next(queue, &status);
  EchoResponse response;
  if (status.ok()) {
    EXPECT_TRUE(grpc::SerializationTraits<EchoResponse>::Deserialize(&reply, &response).ok());
  }
  return Finished(*context, status, response, ok);
}

}  // namespace

const char* FormName(Form form) {
  switch (form) {
    case Form::kSync:
      return "Sync";
    case Form::kQueue:
      return "Queue";
    case Form::kQueueTwoBatch:
      return "QueueTwoBatch";
    case Form::kCallback:
      return "Callback";
    case Form::kReactor:
      return "Reactor";
    case Form::kGeneric:
      return "Generic";
  }
  return "";
}

std::ostream& operator<<(std::ostream& out, Form form) { return out << FormName(form); }

CallResult Call(Form form, const std::shared_ptr<grpc::ChannelInterface>& channel, CallSpec spec) {
  const auto stub = Echo::NewStub(channel);
  switch (form) {
    case Form::kSync:
      return CallSync(*stub, spec);
    case Form::kQueue:
    case Form::kQueueTwoBatch:
      return CallQueue(*stub, spec, form == Form::kQueueTwoBatch);
    case Form::kCallback:
      return CallCallback(*stub, spec);
    case Form::kReactor:
      return CallReactor(*stub, spec);
    case Form::kGeneric:
      return CallGeneric(channel, spec);
  }
  return {};
}

}  // namespace recloser::testing
