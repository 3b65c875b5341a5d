// A caller that is compiled with -fno-rtti, as many code bases are.
#ifndef RECLOSER_TEST_GRPC_NO_RTTI_CALLER_H_
#define RECLOSER_TEST_GRPC_NO_RTTI_CALLER_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

namespace recloser::testing {

/// Makes one call on a completion queue, with `two_batches` asking for the headers first.
__attribute__((visibility("default"))) grpc::Status CallWithoutRtti(const std::shared_ptr<grpc::ChannelInterface>& channel,
                                                                    const std::string& method, bool two_batches);

/// Makes one server-streaming call on a completion queue, reads all and counts the messages.
__attribute__((visibility("default"))) grpc::Status StreamWithoutRtti(const std::shared_ptr<grpc::ChannelInterface>& channel,
                                                                      const char* method, int* messages);

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_NO_RTTI_CALLER_H_
