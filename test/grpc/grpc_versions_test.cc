// What newer versions of gRPC ask of a channel that stands before another.
#include <type_traits>
#include <utility>

#include "fixture.h"
#include "gtest/gtest.h"

namespace recloser::testing {
namespace {

template <class Channel, class = void>
constexpr bool kAllocates = false;
template <class Channel>
constexpr bool kAllocates<Channel, std::void_t<decltype(std::declval<const Channel&>().memory_allocator())>> = true;

/// A template, so that it compiles where gRPC's channels have no allocator.
template <class Channel>
bool HasAllocator(const Channel& channel) {
  if constexpr (kAllocates<Channel>) return channel.memory_allocator() != nullptr;
  return false;
}

TEST(GrpcVersionsTest, RequestsCountAgainstTheResourceQuotaAsOnABareChannel) {
  if (!kAllocates<grpc::ChannelInterface>) GTEST_SKIP() << "this gRPC's channels have no memory allocator";
  const std::shared_ptr<grpc::ChannelInterface> bare = grpc::CreateChannel("localhost:1", grpc::InsecureChannelCredentials());
  ASSERT_TRUE(HasAllocator(*bare));
  EXPECT_TRUE(HasAllocator(*Connect(Attach::kDecorator, "localhost:1", FastRetries(), Registry::Create())));
}

}  // namespace
}  // namespace recloser::testing
