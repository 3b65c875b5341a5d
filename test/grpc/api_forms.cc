#include "api_forms.h"

#include <grpcpp/generic/generic_stub.h>

#include <future>
#include <thread>
#include <utility>

#include "await.h"
#include "call_in_the_making.h"
#include "gtest/gtest.h"

namespace recloser::testing {
namespace {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;
using Channel = std::shared_ptr<grpc::ChannelInterface>;

bool IsEcho(const CallSpec& spec) { return std::string(spec.method) == "Echo"; }

// A method's name as generic stubs take it.
std::string Path(const CallSpec& spec) { return std::string("/recloser.demo.v1.Echo/") + spec.method; }

struct Run : CallInTheMaking {
  using CallInTheMaking::CallInTheMaking;
  CallResult Finished(const grpc::Status& status, bool tag_ok = true) const {
    CallResult result;
    Describe(status, &result);
    result.payload = response->payload();
    result.messages = status.ok() ? 1 : 0;
    result.tag_ok = tag_ok;
    return result;
  }
  CallResult FinishedInCallback(const grpc::Status& status) {
    CallResult result = Finished(status);
    DeleteInCallback();
    return result;
  }
};

CallResult CallSync(const Channel& channel, CallSpec& spec) {
  const auto stub = Echo::NewStub(channel);
  const Run run(spec);
  grpc::Status status;
  {
    const Meanwhile meanwhile(run);
    status = IsEcho(spec) ? stub->Echo(run.context.get(), *run.request, run.response.get())
                          : stub->Increment(run.context.get(), *run.request, run.response.get());
  }
  return run.Finished(status);
}

// Takes what is left of a unary call out of its queue; its last tag's `ok`.
template <class Reader, class Response>
bool FinishQueued(const CallSpec& spec, bool two_batches, Reader& reader, Response* response, grpc::Status* status,
                  grpc::CompletionQueue& queue) {
  if (two_batches) reader.ReadInitialMetadata(&queue);
  if (two_batches && !spec.shut_queue_down) Next(queue, &queue);
  reader.Finish(response, status, status);
  if (!spec.shut_queue_down) return Next(queue, status);
  queue.Shutdown();
  if (two_batches) Next(queue, &queue);
  return Next(queue, status);
}

CallResult CallQueue(Channel channel, CallSpec& spec, bool two_batches) {
  auto stub = Echo::NewStub(std::move(channel));
  const Run run(spec);
  grpc::CompletionQueue queue;
  auto reader = IsEcho(spec) ? stub->PrepareAsyncEcho(run.context.get(), *run.request, &queue)
                             : stub->PrepareAsyncIncrement(run.context.get(), *run.request, &queue);
  grpc::Status status;
  reader->StartCall();
  run.Began(stub);
  const Meanwhile meanwhile(run);  // beside: a call goes on only while its queue is polled
  const bool ok = FinishQueued(spec, two_batches, *reader, run.response.get(), &status, queue);
  return run.Finished(status, ok);
}

CallResult CallCallback(Channel channel, CallSpec& spec) {
  auto stub = Echo::NewStub(std::move(channel));
  Run run(spec);
  std::promise<CallResult> done;
  const auto on_done = [&run, &done](const grpc::Status& status) { done.set_value(run.FinishedInCallback(status)); };
  const auto request = std::make_unique<EchoRequest>(*run.request);
  grpc::ClientContext* const context = run.context.get();
  if (IsEcho(spec)) {
    stub->async()->Echo(context, request.get(), run.response.get(), on_done);
  } else {
    stub->async()->Increment(context, request.get(), run.response.get(), on_done);
  }
  request->set_payload("changed");  // gRPC allows it, even to delete it; retries must survive it
  run.Began(stub);
  if (spec.meanwhile) spec.meanwhile(*context);
  return Await(done.get_future());
}

CallResult CallReactor(Channel channel, CallSpec& spec) {
  struct Reactor final : grpc::ClientUnaryReactor {
    explicit Reactor(Run& r) : run(r) {}
    void OnDone(const grpc::Status& status) override { done.set_value(run.FinishedInCallback(status)); }
    Run& run;
    std::promise<CallResult> done;
  };
  auto stub = Echo::NewStub(std::move(channel));
  Run run(spec);
  Reactor reactor(run);
  const auto request = std::make_unique<EchoRequest>(*run.request);
  grpc::ClientContext* const context = run.context.get();
  if (IsEcho(spec)) {
    stub->async()->Echo(context, request.get(), run.response.get(), &reactor);
  } else {
    stub->async()->Increment(context, request.get(), run.response.get(), &reactor);
  }
  reactor.StartCall();
  request->set_payload("changed");
  run.Began(stub);
  if (spec.meanwhile) spec.meanwhile(*context);
  return Await(reactor.done.get_future());
}

grpc::ByteBuffer Bytes(const EchoRequest& message) {
  grpc::ByteBuffer bytes;
  bool own_buffer = false;
  EXPECT_TRUE(grpc::SerializationTraits<EchoRequest>::Serialize(message, &bytes, &own_buffer).ok());
  return bytes;
}

// A response that came before its call failed stays with the caller, as gRPC has it.
void Parse(const grpc::Status& status, grpc::ByteBuffer& bytes, EchoResponse* message) {
  if (!status.ok() && !bytes.Valid()) return;
  const bool parsed = grpc::SerializationTraits<EchoResponse>::Deserialize(&bytes, message).ok();
  EXPECT_TRUE(parsed || !status.ok());
}

CallResult CallGeneric(Channel channel, CallSpec& spec) {
  auto stub = std::make_unique<grpc::GenericStub>(std::move(channel));
  const Run run(spec);
  grpc::CompletionQueue queue;
  // The name is a temporary, as with a literal: gRPC does not copy it.
  auto reader = stub->PrepareUnaryCall(run.context.get(), Path(spec), Bytes(*run.request), &queue);
  grpc::ByteBuffer reply;
  grpc::Status status;
  reader->StartCall();
  run.Began(stub);
  const Meanwhile meanwhile(run);
  const bool ok = FinishQueued(spec, /*two_batches=*/false, *reader, &reply, &status, queue);
  Parse(status, reply, run.response.get());
  return run.Finished(status, ok);
}

CallResult CallGenericCallback(Channel channel, CallSpec& spec) {
  auto stub = std::make_unique<grpc::GenericStub>(std::move(channel));
  Run run(spec);
  grpc::ByteBuffer reply;
  std::promise<CallResult> done;
  grpc::ClientContext* const context = run.context.get();
  {
    const grpc::ByteBuffer request = Bytes(*run.request);
    stub->UnaryCall(context, Path(spec), grpc::StubOptions(), &request, &reply, [&](const grpc::Status& status) {
      Parse(status, reply, run.response.get());
      done.set_value(run.FinishedInCallback(status));
    });
  }
  run.Began(stub);
  if (spec.meanwhile) spec.meanwhile(*context);
  return Await(done.get_future());
}

CallResult CallGenericReactor(Channel channel, CallSpec& spec) {
  struct Reactor final : grpc::ClientUnaryReactor {
    explicit Reactor(Run& r) : run(r) {}
    void OnDone(const grpc::Status& status) override {
      Parse(status, reply, run.response.get());
      done.set_value(run.FinishedInCallback(status));
    }
    Run& run;
    grpc::ByteBuffer reply;
    std::promise<CallResult> done;
  };
  auto stub = std::make_unique<grpc::GenericStub>(std::move(channel));
  Run run(spec);
  Reactor reactor(run);
  grpc::ClientContext* const context = run.context.get();
  {
    const grpc::ByteBuffer request = Bytes(*run.request);
    stub->PrepareUnaryCall(context, Path(spec), grpc::StubOptions(), &request, &reactor.reply, &reactor);
    reactor.StartCall();
  }
  run.Began(stub);
  if (spec.meanwhile) spec.meanwhile(*context);
  return Await(reactor.done.get_future());
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
    case Form::kGenericCallback:
      return "GenericCallback";
    case Form::kGenericReactor:
      return "GenericReactor";
  }
  return "";
}

std::ostream& operator<<(std::ostream& out, Form form) { return out << FormName(form); }

CallResult Call(Form form, std::shared_ptr<grpc::ChannelInterface> channel, CallSpec spec) {
  switch (form) {
    case Form::kSync:
      return CallSync(channel, spec);
    case Form::kQueue:
    case Form::kQueueTwoBatch:
      return CallQueue(std::move(channel), spec, form == Form::kQueueTwoBatch);
    case Form::kCallback:
      return CallCallback(std::move(channel), spec);
    case Form::kReactor:
      return CallReactor(std::move(channel), spec);
    case Form::kGeneric:
      return CallGeneric(std::move(channel), spec);
    case Form::kGenericCallback:
      return CallGenericCallback(std::move(channel), spec);
    case Form::kGenericReactor:
      return CallGenericReactor(std::move(channel), spec);
  }
  return {};
}

}  // namespace recloser::testing
