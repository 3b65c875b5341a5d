#include "demo_services/load_client/call.h"

#include <utility>

namespace recloser::demo {

absl::string_view ApiName(Api api) {
  switch (api) {
    case Api::kSync:
      return "sync";
    case Api::kCq:
      return "cq";
    case Api::kCallback:
      return "callback";
    case Api::kReactor:
      return "reactor";
    case Api::kGeneric:
      return "generic";
    case Api::kCqTwoBatch:
      return "cq-two-batch";
    case Api::kServerStream:
      return "server-stream";
    case Api::kClientStream:
      return "client-stream";
    case Api::kBidiStream:
      break;
  }
  return "bidi-stream";
}

std::unique_ptr<Caller> MakeCaller(Api api, const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended) {
  switch (api) {
    case Api::kSync:
      return MakeSyncCaller(channel, std::move(ended));
    case Api::kCq:
    case Api::kCqTwoBatch:
    case Api::kGeneric:
      return MakeQueueCaller(api, channel, std::move(ended));
    case Api::kCallback:
    case Api::kReactor:
      return MakeCallbackCaller(api, channel, std::move(ended));
    case Api::kServerStream:
    case Api::kClientStream:
    case Api::kBidiStream:
      break;
  }
  return MakeStreamCaller(api, channel, std::move(ended));
}

}  // namespace recloser::demo
