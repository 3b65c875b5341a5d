#include <future>
#include <thread>
#include <utility>

#include "api_forms.h"
#include "await.h"

namespace recloser::testing {
namespace {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;

// One stream in the making: what all forms do alike.
struct Run {
  explicit Run(CallSpec& s) : spec(s) {
    context = spec.context != nullptr ? std::move(spec.context) : std::make_unique<grpc::ClientContext>();
    if (spec.prepare) spec.prepare(*context);
    request.set_payload(spec.payload);
  }
  void Received() {
    ++result.messages;
    result.payload = response.payload();
  }
  CallResult Finished(const grpc::Status& status, Stream stream) {
    result.status = status;
    if (stream == Stream::kClient && status.ok()) result.messages = 1;
    result.headers = Strings(context->GetServerInitialMetadata());
    result.trailers = Strings(context->GetServerTrailingMetadata());
    return std::move(result);
  }

  CallSpec& spec;
  std::unique_ptr<grpc::ClientContext> context;
  EchoRequest request;
  EchoResponse response;
  CallResult result;
};

template <class Writer>
void WriteAll(Run& run, Writer& writer) {
  while (run.result.written < run.spec.stream_messages && writer.Write(run.request)) ++run.result.written;
  writer.WritesDone();
}

template <class Reader>
void ReadAll(Run& run, Reader& reader) {
  while (reader.Read(&run.response)) run.Received();
}

CallResult CallSync(Stream stream, Echo::Stub& stub, CallSpec& spec) {
  Run run(spec);
  std::thread meanwhile;
  if (spec.meanwhile) meanwhile = std::thread([&] { spec.meanwhile(*run.context); });
  grpc::Status status;
  if (stream == Stream::kClient) {
    const auto writer = stub.ClientStream(run.context.get(), &run.response);
    WriteAll(run, *writer);
    status = writer->Finish();
  } else if (stream == Stream::kServer) {
    const auto reader = stub.ServerStream(run.context.get(), run.request);
    ReadAll(run, *reader);
    status = reader->Finish();
  } else {
    const auto both = stub.BidiStream(run.context.get());
    WriteAll(run, *both);
    ReadAll(run, *both);
    status = both->Finish();
  }
  if (meanwhile.joinable()) meanwhile.join();
  return run.Finished(status, stream);
}

template <class Writer>
void WriteAllQueued(Run& run, Writer& writer, grpc::CompletionQueue& queue) {
  while (run.result.written < run.spec.stream_messages) {
    writer.Write(run.request, &run);
    if (!Next(queue, &run)) return;
    ++run.result.written;
  }
  writer.WritesDone(&run);
  Next(queue, &run);
}

template <class Reader>
void ReadAllQueued(Run& run, Reader& reader, grpc::CompletionQueue& queue) {
  while (true) {
    reader.Read(&run.response, &run);
    if (!Next(queue, &run)) return;
    run.Received();
  }
}

template <class Call>
void StartQueued(Run& run, Call& call, grpc::CompletionQueue& queue) {
  call.StartCall(&run);
  if (run.spec.meanwhile) run.spec.meanwhile(*run.context);
  Next(queue, &run);
}

template <class Call>
CallResult FinishQueued(Stream stream, Run& run, Call& call, grpc::CompletionQueue& queue) {
  grpc::Status status;
  call.Finish(&status, &run);
  run.result.tag_ok = Next(queue, &run);
  return run.Finished(status, stream);
}

CallResult CallQueue(Stream stream, Echo::Stub& stub, CallSpec& spec) {
  grpc::CompletionQueue queue;
  Run run(spec);
  if (stream == Stream::kClient) {
    const auto writer = stub.PrepareAsyncClientStream(run.context.get(), &run.response, &queue);
    StartQueued(run, *writer, queue);
    WriteAllQueued(run, *writer, queue);
    return FinishQueued(stream, run, *writer, queue);
  }
  if (stream == Stream::kServer) {
    const auto reader = stub.PrepareAsyncServerStream(run.context.get(), run.request, &queue);
    StartQueued(run, *reader, queue);
    ReadAllQueued(run, *reader, queue);
    return FinishQueued(stream, run, *reader, queue);
  }
  const auto both = stub.PrepareAsyncBidiStream(run.context.get(), &queue);
  StartQueued(run, *both, queue);
  WriteAllQueued(run, *both, queue);
  ReadAllQueued(run, *both, queue);
  return FinishQueued(stream, run, *both, queue);
}

// A reactor for each kind of stream, made of its reading and its writing half.
template <class Base>
class Reactor : public Base {
 public:
  explicit Reactor(Run& run) : run_(run) {}
  void OnDone(const grpc::Status& status) override { done_.set_value(status); }
  std::future<grpc::Status> done() { return done_.get_future(); }

 protected:
  Run& run_;

 private:
  std::promise<grpc::Status> done_;
};

template <class Base>
class Writes : public Base {
 public:
  using Base::Base;
  void WriteNext() {
    if (this->run_.result.written < this->run_.spec.stream_messages) return this->StartWrite(&this->run_.request);
    this->StartWritesDone();
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return;
    ++this->run_.result.written;
    WriteNext();
  }
};

template <class Base>
class Reads : public Base {
 public:
  using Base::Base;
  void ReadNext() { this->StartRead(&this->run_.response); }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    this->run_.Received();
    ReadNext();
  }
};

template <class R>
CallResult FinishCallback(Stream stream, Run& run, R& reactor) {
  reactor.StartCall();
  if (run.spec.meanwhile) run.spec.meanwhile(*run.context);
  return run.Finished(Await(reactor.done()), stream);
}

CallResult CallCallback(Stream stream, Echo::Stub& stub, CallSpec& spec) {
  Run run(spec);
  if (stream == Stream::kClient) {
    Writes<Reactor<grpc::ClientWriteReactor<EchoRequest>>> reactor(run);
    stub.async()->ClientStream(run.context.get(), &run.response, &reactor);
    reactor.WriteNext();
    return FinishCallback(stream, run, reactor);
  }
  if (stream == Stream::kServer) {
    Reads<Reactor<grpc::ClientReadReactor<EchoResponse>>> reactor(run);
    stub.async()->ServerStream(run.context.get(), &run.request, &reactor);
    reactor.ReadNext();
    return FinishCallback(stream, run, reactor);
  }
  Writes<Reads<Reactor<grpc::ClientBidiReactor<EchoRequest, EchoResponse>>>> reactor(run);
  stub.async()->BidiStream(run.context.get(), &reactor);
  reactor.WriteNext();
  reactor.ReadNext();
  return FinishCallback(stream, run, reactor);
}

}  // namespace

const char* StreamName(Stream stream) {
  switch (stream) {
    case Stream::kClient:
      return "Client";
    case Stream::kServer:
      return "Server";
    case Stream::kBidi:
      return "Bidi";
  }
  return "";
}

const char* StreamFormName(StreamForm form) {
  switch (form) {
    case StreamForm::kSync:
      return "Sync";
    case StreamForm::kQueue:
      return "Queue";
    case StreamForm::kCallback:
      return "Callback";
  }
  return "";
}

CallResult Call(StreamForm form, Stream stream, const std::shared_ptr<grpc::ChannelInterface>& channel, CallSpec spec) {
  const auto stub = Echo::NewStub(channel);
  switch (form) {
    case StreamForm::kSync:
      return CallSync(stream, *stub, spec);
    case StreamForm::kQueue:
      return CallQueue(stream, *stub, spec);
    case StreamForm::kCallback:
      return CallCallback(stream, *stub, spec);
  }
  return {};
}

}  // namespace recloser::testing
