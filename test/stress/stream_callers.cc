#include <utility>

#include "callers.h"

namespace recloser::stress {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;

namespace {

// Callback streams.

template <class Base>
class Writes : public Base {
 public:
  using Base::Base;
  void WriteNext() {
    if (written_++ < this->call().plan.writes) return this->StartWrite(&this->call().request);
    this->StartWritesDone();
  }
  void OnWriteDone(bool ok) override {
    if (ok) WriteNext();
  }

 private:
  int written_ = 0;
};

template <class Base>
class Reads : public Base {
 public:
  using Base::Base;
  void ReadNext() { this->StartRead(&this->call().response); }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    this->call().Received();
    ReadNext();
  }
};

void BeginCallbackStream(std::shared_ptr<LiveCall> call, Stubs& stubs) {
  LiveCall& c = *call;
  if (c.plan.method == Method::kClientStream) {
    auto* const reactor = new Writes<Reactor<grpc::ClientWriteReactor<EchoRequest>>>(std::move(call));
    stubs.echo->async()->ClientStream(&c.context, &c.response, reactor);
    reactor->WriteNext();
    reactor->StartCall();
  } else if (c.plan.method == Method::kServerStream) {
    auto* const reactor = new Reads<Reactor<grpc::ClientReadReactor<EchoResponse>>>(std::move(call));
    stubs.echo->async()->ServerStream(&c.context, &c.request, reactor);
    reactor->ReadNext();
    reactor->StartCall();
  } else {
    auto* const reactor = new Writes<Reads<Reactor<grpc::ClientBidiReactor<EchoRequest, EchoResponse>>>>(std::move(call));
    stubs.echo->async()->BidiStream(&c.context, reactor);
    reactor->WriteNext();
    reactor->ReadNext();
    reactor->StartCall();
  }
}

// Queue streams: one operation at a time, first all writes, then all reads, then the end; or, of dropped ones, no end.

class QueueStream : public Operation {
 public:
  explicit QueueStream(std::shared_ptr<LiveCall> call) : call_(std::move(call)) {}
  LiveCall& call() { return *call_; }

  bool Proceed(bool ok) override {
    switch (std::exchange(doing_, Doing::kFinish)) {
      case Doing::kStart:
        if (call_->plan.drop && call_->id % 2 == 0) return Drop();
        return ok ? WriteNext() : Finish();
      case Doing::kWrite:
        return ok ? WriteNext() : ReadNext();
      case Doing::kWritesDone:
        if (call_->plan.drop) return Drop();
        return ReadNext();
      case Doing::kRead:
        if (call_->plan.drop) return Drop();
        if (!ok) return Finish();
        call_->Received();
        return ReadNext();
      case Doing::kFinish:
        call_->Finish();
        return true;
    }
    return true;
  }

 protected:
  // False: the stream has no such thing.
  virtual bool Write() { return false; }
  virtual bool WritesDone() { return false; }
  virtual bool Read() { return false; }
  virtual void End() = 0;

 private:
  enum class Doing { kStart, kWrite, kWritesDone, kRead, kFinish };

  bool WriteNext() {
    doing_ = Doing::kWrite;
    if (written_ < call_->plan.writes && Write()) {
      ++written_;
      return false;
    }
    doing_ = Doing::kWritesDone;
    return WritesDone() ? false : ReadNext();
  }
  bool ReadNext() {
    doing_ = Doing::kRead;
    return Read() ? false : Finish();
  }
  bool Finish() {
    doing_ = Doing::kFinish;
    End();
    return false;
  }
  bool Drop() {
    call_->Drop();
    return true;
  }

  const std::shared_ptr<LiveCall> call_;
  Doing doing_ = Doing::kStart;
  int written_ = 0;
};

class QueueServerStream final : public QueueStream {
 public:
  using QueueStream::QueueStream;
  void Begin(Stubs& stubs, grpc::CompletionQueue* queue) {
    stream_ = stubs.echo->PrepareAsyncServerStream(&call().context, call().request, queue);
    stream_->StartCall(this);
  }

 private:
  bool Read() override { return stream_->Read(&call().response, this), true; }
  void End() override { stream_->Finish(&call().status, this); }
  std::unique_ptr<grpc::ClientAsyncReader<EchoResponse>> stream_;
};

class QueueClientStream final : public QueueStream {
 public:
  using QueueStream::QueueStream;
  void Begin(Stubs& stubs, grpc::CompletionQueue* queue) {
    stream_ = stubs.echo->PrepareAsyncClientStream(&call().context, &call().response, queue);
    stream_->StartCall(this);
  }

 private:
  bool Write() override { return stream_->Write(call().request, this), true; }
  bool WritesDone() override { return stream_->WritesDone(this), true; }
  void End() override { stream_->Finish(&call().status, this); }
  std::unique_ptr<grpc::ClientAsyncWriter<EchoRequest>> stream_;
};

class QueueBidiStream final : public QueueStream {
 public:
  using QueueStream::QueueStream;
  void Begin(Stubs& stubs, grpc::CompletionQueue* queue) {
    stream_ = stubs.echo->PrepareAsyncBidiStream(&call().context, queue);
    stream_->StartCall(this);
  }

 private:
  bool Write() override { return stream_->Write(call().request, this), true; }
  bool WritesDone() override { return stream_->WritesDone(this), true; }
  bool Read() override { return stream_->Read(&call().response, this), true; }
  void End() override { stream_->Finish(&call().status, this); }
  std::unique_ptr<grpc::ClientAsyncReaderWriter<EchoRequest, EchoResponse>> stream_;
};

// Blocking calls.

template <class Writer>
void WriteAll(LiveCall& call, Writer& writer) {
  for (int i = 0; i < call.plan.writes && writer.Write(call.request); ++i) {
  }
  writer.WritesDone();
}

template <class Reader>
void ReadAll(LiveCall& call, Reader& reader) {
  while (reader.Read(&call.response)) call.Received();
}

template <class Stream>
void FinishOrDrop(LiveCall& call, std::unique_ptr<Stream> stream) {
  if (call.plan.drop) {
    stream = nullptr;
    return call.Drop();
  }
  call.status = stream->Finish();
  call.Finish();
}

}  // namespace

void BeginStream(std::shared_ptr<LiveCall> call, Stubs& stubs, grpc::CompletionQueue* queue) {
  if (call->plan.api == Api::kSync) return CallBlocking(call, stubs);
  if (call->plan.api == Api::kCallback) return BeginCallbackStream(std::move(call), stubs);
  switch (call->plan.method) {
    case Method::kServerStream:
      return (new QueueServerStream(std::move(call)))->Begin(stubs, queue);
    case Method::kClientStream:
      return (new QueueClientStream(std::move(call)))->Begin(stubs, queue);
    default:
      return (new QueueBidiStream(std::move(call)))->Begin(stubs, queue);
  }
}

void CallBlocking(const std::shared_ptr<LiveCall>& call, Stubs& stubs) {
  LiveCall& c = *call;
  switch (c.plan.method) {
    case Method::kEcho:
      c.status = stubs.echo->Echo(&c.context, c.request, &c.response);
      return c.Finish();
    case Method::kIncrement:
      c.status = stubs.echo->Increment(&c.context, c.request, &c.response);
      return c.Finish();
    case Method::kServerStream: {
      auto reader = stubs.echo->ServerStream(&c.context, c.request);
      if (!c.plan.drop || c.id % 2 == 0) ReadAll(c, *reader);
      return FinishOrDrop(c, std::move(reader));
    }
    case Method::kClientStream: {
      auto writer = stubs.echo->ClientStream(&c.context, &c.response);
      if (!c.plan.drop || c.id % 2 == 0) WriteAll(c, *writer);
      return FinishOrDrop(c, std::move(writer));
    }
    case Method::kBidiStream: {
      auto stream = stubs.echo->BidiStream(&c.context);
      WriteAll(c, *stream);
      if (!c.plan.drop || c.id % 2 == 0) ReadAll(c, *stream);
      return FinishOrDrop(c, std::move(stream));
    }
  }
}

}  // namespace recloser::stress
