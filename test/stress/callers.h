// The forms of gRPC's client API, without waiting: each function begins a call; its end is written down on whatever thread it comes.
#ifndef RECLOSER_TEST_STRESS_CALLERS_H_
#define RECLOSER_TEST_STRESS_CALLERS_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <thread>
#include <utility>

#include "live_call.h"
#include "recloser/demo/v1/echo.grpc.pb.h"

namespace recloser::stress {

/// A channel with its stubs.
struct Stubs {
  explicit Stubs(std::shared_ptr<grpc::ChannelInterface> to);

  const std::shared_ptr<grpc::ChannelInterface> channel;
  const std::unique_ptr<demo::v1::Echo::Stub> echo;
  grpc::GenericStub generic;
};

/// What waits on a completion queue.
class Operation {
 public:
  virtual ~Operation() = default;
  /// A batch came back. True when nothing more is to come, and the operation may go.
  virtual bool Proceed(bool ok) = 0;
};

/// What gRPC's reactors have in common here: `Base` is one of them. Deletes itself.
template <class Base>
class Reactor : public Base {
 public:
  explicit Reactor(std::shared_ptr<LiveCall> call) : call_(std::move(call)) {}
  void OnDone(const grpc::Status& status) override {
    call_->status = status;
    call_->Finish();
    delete this;
  }
  LiveCall& call() { return *call_; }

 private:
  const std::shared_ptr<LiveCall> call_;
};

/// A completion queue with the thread that polls it.
class PolledQueue {
 public:
  PolledQueue();
  /// Waits for what is under way.
  ~PolledQueue();
  grpc::CompletionQueue* get() { return &queue_; }
  /// Nothing may be begun on it any more; what is under way goes on.
  void Shutdown() { queue_.Shutdown(); }

 private:
  grpc::CompletionQueue queue_;
  std::thread thread_;
};

void BeginUnary(std::shared_ptr<LiveCall> call, Stubs& stubs, grpc::CompletionQueue* queue);
void BeginStream(std::shared_ptr<LiveCall> call, Stubs& stubs, grpc::CompletionQueue* queue);
/// Makes the call and waits for its end.
void CallBlocking(const std::shared_ptr<LiveCall>& call, Stubs& stubs);

}  // namespace recloser::stress

#endif  // RECLOSER_TEST_STRESS_CALLERS_H_
