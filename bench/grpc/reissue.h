// A retry library of the usual kind, for comparison: its interceptor hijacks every call and makes it again on an inner channel.
#ifndef RECLOSER_BENCH_GRPC_REISSUE_H_
#define RECLOSER_BENCH_GRPC_REISSUE_H_

#include <grpcpp/support/client_interceptor.h>

#include <memory>

namespace recloser::bench {

/// For unary calls that send one batch and receive a protobuf message. It makes the calls again on a queue and thread of its own, with the
/// caller's metadata and deadline, and does nothing else: no policy, no retry.
std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface> MakeReissuingFactory();

/// An interceptor that does nothing: what gRPC's mechanism costs by itself.
std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface> MakeIdleFactory();

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_REISSUE_H_
