#include "parent_service.h"

#include <string>
#include <thread>
#include <utility>

#include "gtest/gtest.h"

namespace recloser::testing::matrix {

ParentService::ParentService() {
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  stub_ = demo::v1::Echo::NewStub(grpc::CreateChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials()));
}

ParentService::~ParentService() { server_->Shutdown(std::chrono::system_clock::now()); }

void ParentService::Serve(milliseconds deadline, std::function<void(const grpc::ServerContext&)> serve,
                          const std::function<void(grpc::ClientContext&)>& meanwhile) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    serve_ = std::move(serve);
    serving_ = served_ = false;
  }
  while (!Called(deadline, meanwhile)) {
    deadline *= 2;
    ASSERT_LT(deadline, seconds(200)) << "the parent does not reach its service";
  }
}

bool ParentService::Called(milliseconds deadline, const std::function<void(grpc::ClientContext&)>& meanwhile) {
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + deadline);
  std::thread beside([&] {
    if (meanwhile) meanwhile(context);
  });
  demo::v1::EchoResponse response;
  stub_->Echo(&context, demo::v1::EchoRequest(), &response);
  beside.join();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!serving_) return false;  // it may still come, and is as good as the next one
  }
  EXPECT_TRUE(Eventually([this] {
    const std::lock_guard<std::mutex> lock(mutex_);
    return served_;
  }));
  return true;
}

bool ParentService::serving() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return serving_;
}

grpc::Status ParentService::Echo(grpc::ServerContext* context, const demo::v1::EchoRequest*, demo::v1::EchoResponse*) {
  std::function<void(const grpc::ServerContext&)> serve;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    serve = std::exchange(serve_, nullptr);
    serving_ = serving_ || serve;
  }
  if (!serve) return grpc::Status::OK;
  serve(*context);
  const std::lock_guard<std::mutex> lock(mutex_);
  served_ = true;
  return grpc::Status::OK;
}

}  // namespace recloser::testing::matrix
