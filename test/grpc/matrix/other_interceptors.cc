#include "other_interceptors.h"

#include <grpcpp/support/client_interceptor.h>

#include <utility>

namespace recloser::testing::matrix {
namespace {

using grpc::experimental::ClientInterceptorFactoryInterface;
using grpc::experimental::ClientRpcInfo;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;
using Hook = grpc::experimental::InterceptionHookPoints;

constexpr std::pair<Hook, const char*> kHooks[] = {
    {Hook::PRE_SEND_INITIAL_METADATA, "PRE_SEND_INITIAL_METADATA"},
    {Hook::PRE_SEND_MESSAGE, "PRE_SEND_MESSAGE"},
    {Hook::POST_SEND_MESSAGE, "POST_SEND_MESSAGE"},
    {Hook::PRE_SEND_CLOSE, "PRE_SEND_CLOSE"},
    {Hook::PRE_RECV_INITIAL_METADATA, "PRE_RECV_INITIAL_METADATA"},
    {Hook::PRE_RECV_MESSAGE, "PRE_RECV_MESSAGE"},
    {Hook::PRE_RECV_STATUS, "PRE_RECV_STATUS"},
    {Hook::POST_RECV_INITIAL_METADATA, "POST_RECV_INITIAL_METADATA"},
    {Hook::POST_RECV_MESSAGE, "POST_RECV_MESSAGE"},
    {Hook::POST_RECV_STATUS, "POST_RECV_STATUS"},
};

class Passing final : public Interceptor {
 public:
  Passing(std::string name, std::shared_ptr<Sightings> sightings) : name_(std::move(name)), sightings_(std::move(sightings)) {}

  void Intercept(InterceptorBatchMethods* batch) override {
    // Nothing else may be asked of a cancellation.
    if (batch->QueryInterceptionHookPoint(Hook::PRE_SEND_CANCEL)) {
      sightings_->Add("PRE_SEND_CANCEL");
      return batch->Proceed();
    }
    for (const auto& [hook, name] : kHooks) {
      if (batch->QueryInterceptionHookPoint(hook)) sightings_->Add(name);
    }
    if (batch->QueryInterceptionHookPoint(Hook::PRE_SEND_INITIAL_METADATA)) batch->GetSendInitialMetadata()->emplace(name_, "1");
    if (batch->QueryInterceptionHookPoint(Hook::PRE_SEND_MESSAGE) && batch->GetSendMessage() != nullptr) sightings_->Add("message to send");
    if (batch->QueryInterceptionHookPoint(Hook::POST_RECV_MESSAGE) && batch->GetRecvMessage() != nullptr) sightings_->Add("message");
    if (batch->QueryInterceptionHookPoint(Hook::POST_RECV_STATUS)) {
      sightings_->Add("status " + std::to_string(batch->GetRecvStatus()->error_code()));
    }
    batch->Proceed();
  }

 private:
  const std::string name_;
  const std::shared_ptr<Sightings> sightings_;
};

class Passings final : public ClientInterceptorFactoryInterface {
 public:
  Passings(std::string name, std::shared_ptr<Sightings> sightings) : name_(std::move(name)), sightings_(std::move(sightings)) {}
  Interceptor* CreateClientInterceptor(ClientRpcInfo*) override { return new Passing(name_, sightings_); }

 private:
  const std::string name_;
  const std::shared_ptr<Sightings> sightings_;
};

class Nulls final : public ClientInterceptorFactoryInterface {
 public:
  Interceptor* CreateClientInterceptor(ClientRpcInfo*) override { return nullptr; }
};

}  // namespace

void Sightings::Add(const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++counts_[what];
}

std::map<std::string, int> Sightings::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

std::unique_ptr<ClientInterceptorFactoryInterface> PassingFactory(std::string name, std::shared_ptr<Sightings> sightings) {
  return std::make_unique<Passings>(std::move(name), std::move(sightings));
}
std::unique_ptr<ClientInterceptorFactoryInterface> NullFactory() { return std::make_unique<Nulls>(); }

}  // namespace recloser::testing::matrix
