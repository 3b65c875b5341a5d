#include <future>
#include <thread>
#include <utility>

#include "api_forms.h"
#include "await.h"
#include "call_in_the_making.h"

namespace recloser::testing {
namespace {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;
using StubPtr = std::unique_ptr<Echo::Stub>;

struct Run : CallInTheMaking {
  Run(Stream kind, CallSpec& s) : CallInTheMaking(s), stream(kind) {}
  void Received() {
    ++result.messages;
    result.payload = response->payload();
  }
  CallResult Finished(const grpc::Status& status) {
    Describe(status, &result);
    if (stream == Stream::kClient) {
      result.messages = status.ok() ? 1 : 0;
      result.payload = response->payload();
    }
    return std::move(result);
  }
  CallResult FinishedInCallback(const grpc::Status& status) {
    CallResult finished = Finished(status);
    DeleteInCallback();
    return finished;
  }

  const Stream stream;
  CallResult result;
};

template <class Writer>
void WriteAll(Run& run, Writer& writer) {
  while (run.result.written < run.spec.stream_messages && writer.Write(*run.request)) ++run.result.written;
  writer.WritesDone();
}

template <class Reader>
void ReadAll(Run& run, Reader& reader) {
  while (reader.Read(run.response.get())) run.Received();
}

CallResult CallSync(Stream stream, StubPtr stub, CallSpec& spec) {
  Run run(stream, spec);
  grpc::Status status;
  {
    const Meanwhile meanwhile(run);
    if (stream == Stream::kClient) {
      const auto writer = stub->ClientStream(run.context.get(), run.response.get());
      run.Began(stub);
      WriteAll(run, *writer);
      status = writer->Finish();
    } else if (stream == Stream::kServer) {
      const auto reader = stub->ServerStream(run.context.get(), *run.request);
      run.Began(stub);
      ReadAll(run, *reader);
      status = reader->Finish();
    } else {
      const auto both = stub->BidiStream(run.context.get());
      run.Began(stub);
      WriteAll(run, *both);
      ReadAll(run, *both);
      status = both->Finish();
    }
  }
  return run.Finished(status);
}

template <class Writer>
void WriteAllQueued(Run& run, Writer& writer, grpc::CompletionQueue& queue) {
  while (run.result.written < run.spec.stream_messages) {
    writer.Write(*run.request, &run);
    if (!Next(queue, &run)) return;
    ++run.result.written;
  }
  writer.WritesDone(&run);
  Next(queue, &run);
}

template <class Reader>
void ReadAllQueued(Run& run, Reader& reader, grpc::CompletionQueue& queue) {
  while (true) {
    reader.Read(run.response.get(), &run);
    if (!Next(queue, &run)) return;
    run.Received();
  }
}

template <class Call>
void StartQueued(Run& run, StubPtr& stub, Call& call, grpc::CompletionQueue& queue) {
  call.StartCall(&run);
  run.Began(stub);
  Next(queue, &run);
}

template <class Call>
CallResult FinishQueued(Run& run, Call& call, grpc::CompletionQueue& queue) {
  grpc::Status status;
  call.Finish(&status, &run);
  if (run.spec.shut_queue_down) queue.Shutdown();
  run.result.tag_ok = Next(queue, &run);
  return run.Finished(status);
}

// The queue is shut down with a read and the stream's end under way, which it returns in any order.
template <class Call>
CallResult ShutDownQueued(Run& run, Call& call, grpc::CompletionQueue& queue) {
  call.ReadInitialMetadata(&run);
  Next(queue, &run);
  grpc::Status status;
  call.Read(run.response.get(), run.response.get());
  call.Finish(&status, &run);
  queue.Shutdown();
  for (int tags = 0; tags < 2; ++tags) {
    void* tag = nullptr;
    const bool ok = NextOf(queue, &tag);
    if (tag == &run) run.result.tag_ok = ok;
    if (tag == run.response.get() && ok) run.Received();
  }
  return run.Finished(status);
}

template <class Call>
CallResult ReadQueued(Run& run, Call& call, grpc::CompletionQueue& queue) {
  if (run.spec.shut_queue_down) return ShutDownQueued(run, call, queue);
  ReadAllQueued(run, call, queue);
  return FinishQueued(run, call, queue);
}

CallResult CallQueue(Stream stream, StubPtr stub, CallSpec& spec) {
  grpc::CompletionQueue queue;
  Run run(stream, spec);
  const Meanwhile meanwhile(run);
  if (stream == Stream::kClient) {
    const auto writer = stub->PrepareAsyncClientStream(run.context.get(), run.response.get(), &queue);
    StartQueued(run, stub, *writer, queue);
    WriteAllQueued(run, *writer, queue);
    return FinishQueued(run, *writer, queue);
  }
  if (stream == Stream::kServer) {
    const auto reader = stub->PrepareAsyncServerStream(run.context.get(), *run.request, &queue);
    StartQueued(run, stub, *reader, queue);
    return ReadQueued(run, *reader, queue);
  }
  const auto both = stub->PrepareAsyncBidiStream(run.context.get(), &queue);
  StartQueued(run, stub, *both, queue);
  WriteAllQueued(run, *both, queue);
  return ReadQueued(run, *both, queue);
}

// A reactor for each kind of stream, made of its reading and its writing half.
template <class Base>
class Reactor : public Base {
 public:
  explicit Reactor(Run& run) : run_(run) {}
  void OnDone(const grpc::Status& status) override { done_.set_value(run_.FinishedInCallback(status)); }
  std::future<CallResult> done() { return done_.get_future(); }

 protected:
  Run& run_;

 private:
  std::promise<CallResult> done_;
};

template <class Base>
class Writes : public Base {
 public:
  using Base::Base;
  void WriteNext() {
    if (this->run_.result.written < this->run_.spec.stream_messages) return this->StartWrite(this->run_.request.get());
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
  void ReadNext() { this->StartRead(this->run_.response.get()); }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    this->run_.Received();
    ReadNext();
  }
};

template <class R>
CallResult FinishCallback(Run& run, StubPtr& stub, R& reactor) {
  grpc::ClientContext& context = *run.context;
  reactor.StartCall();
  run.Began(stub);
  if (run.spec.meanwhile) run.spec.meanwhile(context);
  return Await(reactor.done());
}

CallResult CallCallback(Stream stream, StubPtr stub, CallSpec& spec) {
  Run run(stream, spec);
  if (stream == Stream::kClient) {
    Writes<Reactor<grpc::ClientWriteReactor<EchoRequest>>> reactor(run);
    stub->async()->ClientStream(run.context.get(), run.response.get(), &reactor);
    reactor.WriteNext();
    return FinishCallback(run, stub, reactor);
  }
  if (stream == Stream::kServer) {
    Reads<Reactor<grpc::ClientReadReactor<EchoResponse>>> reactor(run);
    stub->async()->ServerStream(run.context.get(), run.request.get(), &reactor);
    reactor.ReadNext();
    return FinishCallback(run, stub, reactor);
  }
  Writes<Reads<Reactor<grpc::ClientBidiReactor<EchoRequest, EchoResponse>>>> reactor(run);
  stub->async()->BidiStream(run.context.get(), &reactor);
  reactor.WriteNext();
  reactor.ReadNext();
  return FinishCallback(run, stub, reactor);
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

CallResult Call(StreamForm form, Stream stream, std::shared_ptr<grpc::ChannelInterface> channel, CallSpec spec) {
  auto stub = Echo::NewStub(std::move(channel));
  switch (form) {
    case StreamForm::kSync:
      return CallSync(stream, std::move(stub), spec);
    case StreamForm::kQueue:
      return CallQueue(stream, std::move(stub), spec);
    case StreamForm::kCallback:
      return CallCallback(stream, std::move(stub), spec);
  }
  return {};
}

}  // namespace recloser::testing
