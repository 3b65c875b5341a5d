#include "no_rtti_caller.h"

#include <grpcpp/generic/generic_stub.h>

namespace recloser::testing {

grpc::Status CallWithoutRtti(const std::shared_ptr<grpc::ChannelInterface>& channel, const std::string& method, bool two_batches) {
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  grpc::GenericStub stub(channel);
  grpc::Slice empty;
  const grpc::ByteBuffer request(&empty, 1);
  grpc::ByteBuffer response;
  grpc::Status status;
  void* tag = nullptr;
  bool ok = false;
  const auto reader = stub.PrepareUnaryCall(&context, method, request, &queue);
  reader->StartCall();
  if (two_batches) {
    reader->ReadInitialMetadata(&queue);
    queue.Next(&tag, &ok);
  }
  reader->Finish(&response, &status, &status);
  queue.Next(&tag, &ok);
  return status;
}

grpc::Status StreamWithoutRtti(const std::shared_ptr<grpc::ChannelInterface>& channel, const char* method, int* messages) {
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  grpc::Slice empty;
  const grpc::ByteBuffer request(&empty, 1);
  grpc::ByteBuffer response;
  grpc::Status status;
  void* tag = nullptr;
  bool ok = false;
  using Factory = grpc::internal::ClientAsyncReaderFactory<grpc::ByteBuffer>;
  const grpc::internal::RpcMethod called(method, grpc::internal::RpcMethod::SERVER_STREAMING);
  const std::unique_ptr<grpc::ClientAsyncReader<grpc::ByteBuffer>> reader(
      Factory::Create(channel.get(), &queue, called, &context, request, /*start=*/true, &queue));
  queue.Next(&tag, &ok);
  while (true) {
    reader->Read(&response, &queue);
    queue.Next(&tag, &ok);
    if (!ok) break;
    ++*messages;
  }
  reader->Finish(&status, &queue);
  queue.Next(&tag, &ok);
  return status;
}

}  // namespace recloser::testing
