#include "service.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "recloser/rejection.h"

namespace recloser::stress {

using demo::v1::EchoRequest;
using demo::v1::EchoResponse;
using grpc::CallbackServerContext;

namespace {

int Number(const CallbackServerContext& context, const char* key, int otherwise) {
  const auto it = context.client_metadata().find(key);
  int number = otherwise;
  if (it != context.client_metadata().end() && !absl::SimpleAtoi(absl::string_view(it->second.data(), it->second.size()), &number)) {
    return -1;
  }
  return number;
}

}  // namespace

void Arrivals::Add(int id, int attempt) {
  if (id < 0 || id >= static_cast<int>(reached_.size()) || attempt < 0 || attempt >= 32) {
    ++strays_;
    return;
  }
  const std::uint32_t bit = std::uint32_t{1} << attempt;
  if ((reached_[static_cast<std::size_t>(id)].fetch_or(bit) & bit) != 0) ++strays_;
}

/// The end of an answer: the status after its delay, or, of one that hangs, when the client has gone.
template <class Base>
class Service::Answer : public Base {
 public:
  Answer(Attempt attempt, Timers& timers) : attempt_(std::move(attempt)), timers_(timers) {}

  void OnDone() override { delete this; }
  void OnCancel() override {
    gone_ = true;
    if (hanging_) FinishHanging();
  }

 protected:
  const Reply& reply() const { return attempt_.reply; }
  void Fill(EchoResponse& response, int message) const {
    response.set_payload(Payload(attempt_.id, attempt_.number, message, reply().padding));
  }
  void End() {
    if (reply().hang) {
      hanging_ = true;
      if (gone_) FinishHanging();
    } else if (reply().delay.count() > 0) {
      timers_.After(reply().delay, [this] { Finish(); });
    } else {
      Finish();
    }
  }

 private:
  void Finish() {
    if (reply().code == grpc::StatusCode::OK) return Base::Finish(grpc::Status::OK);
    Base::Finish(grpc::Status(reply().code, Mark(attempt_.id, attempt_.number)));
  }
  void FinishHanging() {
    if (!finished_.exchange(true)) Base::Finish(grpc::Status(grpc::StatusCode::CANCELLED, "the client is gone"));
  }

  const Attempt attempt_;
  Timers& timers_;
  std::atomic<bool> gone_{false};
  std::atomic<bool> hanging_{false};
  std::atomic<bool> finished_{false};
};

class Service::UnaryAnswer final : public Answer<grpc::ServerUnaryReactor> {
 public:
  UnaryAnswer(Attempt attempt, Timers& timers, EchoResponse& response) : Answer(std::move(attempt), timers) {
    Fill(response, 0);
    reply().headers_first ? StartSendInitialMetadata() : End();
  }
  void OnSendInitialMetadataDone(bool) override { End(); }
};

class Service::WriteAnswer final : public Answer<grpc::ServerWriteReactor<EchoResponse>> {
 public:
  WriteAnswer(Attempt attempt, Timers& timers) : Answer(std::move(attempt), timers) {
    reply().headers_first ? StartSendInitialMetadata() : WriteNext();
  }
  void OnSendInitialMetadataDone(bool) override { WriteNext(); }
  void OnWriteDone(bool) override { WriteNext(); }

 private:
  void WriteNext() {
    if (written_ == reply().messages) return End();
    Fill(response_, written_++);
    StartWrite(&response_);
  }

  EchoResponse response_;
  int written_ = 0;
};

class Service::ReadAnswer final : public Answer<grpc::ServerReadReactor<EchoRequest>> {
 public:
  ReadAnswer(Attempt attempt, Timers& timers, EchoResponse& response) : Answer(std::move(attempt), timers), response_(response) {
    StartRead(&request_);
  }
  void OnReadDone(bool ok) override {
    if (ok) {
      ++read_;
      return StartRead(&request_);
    }
    Fill(response_, 0);
    response_.set_message_index(static_cast<std::uint32_t>(read_));
    End();
  }

 private:
  EchoResponse& response_;
  EchoRequest request_;
  int read_ = 0;
};

/// Answers each request with a message, at most as many as planned, and reads to the end.
class Service::BidiAnswer final : public Answer<grpc::ServerBidiReactor<EchoRequest, EchoResponse>> {
 public:
  BidiAnswer(Attempt attempt, Timers& timers) : Answer(std::move(attempt), timers) { StartRead(&request_); }
  void OnReadDone(bool ok) override {
    if (!ok) return End();
    if (written_ == reply().messages) return StartRead(&request_);
    Fill(response_, written_++);
    StartWrite(&response_);
  }
  void OnWriteDone(bool) override { StartRead(&request_); }

 private:
  EchoRequest request_;
  EchoResponse response_;
  int written_ = 0;
};

Service::Service(const std::vector<CallPlan>& calls, Arrivals& arrivals, Timers& timers)
    : calls_(calls), arrivals_(arrivals), timers_(timers) {
  Start();
}

void Service::Start() {
  int port = 0;
  // Any connection of this machine may have got the port meanwhile, for an instant.
  for (int i = 0; i < 500 && server_ == nullptr; ++i) {
    if (i > 0) std::this_thread::sleep_for(milliseconds(20));
    grpc::ServerBuilder builder;
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddListeningPort(target_, grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  if (server_ == nullptr) {
    std::fprintf(stderr, "grpc_stress: can't listen on %s\n", target_.c_str());
    std::abort();
  }
  target_ = absl::StrCat("127.0.0.1:", port);
}

void Service::Stop() {
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
  server_ = nullptr;
}

Service::Attempt Service::Arrived(CallbackServerContext& context) {
  Attempt attempt;
  attempt.id = Number(context, kCallHeader, -1);
  attempt.number = Number(context, kPreviousAttemptsHeader, 0);
  arrivals_.Add(attempt.id, attempt.number);
  if (attempt.id >= 0 && attempt.id < static_cast<int>(calls_.size()) && attempt.number >= 0 && attempt.number < kMostAttempts) {
    attempt.reply = calls_[static_cast<std::size_t>(attempt.id)].replies[static_cast<std::size_t>(attempt.number)];
  }
  const std::string mark = Mark(attempt.id, attempt.number);
  context.AddInitialMetadata(kMarkKey, mark);
  context.AddTrailingMetadata(kMarkKey, mark);
  if (*attempt.reply.pushback != '\0') context.AddTrailingMetadata("grpc-retry-pushback-ms", attempt.reply.pushback);
  return attempt;
}

grpc::ServerUnaryReactor* Service::Echo(CallbackServerContext* context, const EchoRequest*, EchoResponse* response) {
  return new UnaryAnswer(Arrived(*context), timers_, *response);
}
grpc::ServerUnaryReactor* Service::Increment(CallbackServerContext* context, const EchoRequest*, EchoResponse* response) {
  return new UnaryAnswer(Arrived(*context), timers_, *response);
}
grpc::ServerWriteReactor<EchoResponse>* Service::ServerStream(CallbackServerContext* context, const EchoRequest*) {
  return new WriteAnswer(Arrived(*context), timers_);
}
grpc::ServerReadReactor<EchoRequest>* Service::ClientStream(CallbackServerContext* context, EchoResponse* response) {
  return new ReadAnswer(Arrived(*context), timers_, *response);
}
grpc::ServerBidiReactor<EchoRequest, EchoResponse>* Service::BidiStream(CallbackServerContext* context) {
  return new BidiAnswer(Arrived(*context), timers_);
}

}  // namespace recloser::stress
