// What gRPC has added to `ChannelInterface` since 1.51, passed on by a channel that stands before another.
//
// Where this gRPC has no such member there is nothing to pass on: found by the compiler, not by a version number.
#ifndef RECLOSER_PASSING_CHANNEL_H_
#define RECLOSER_PASSING_CHANNEL_H_

#include <grpcpp/impl/channel_interface.h>

#include <type_traits>
#include <utility>

#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

template <class Interface>
using MemoryAllocatorOf = decltype(std::declval<const Interface&>().memory_allocator());

template <class Interface, class = void>
class PassingChannelOf : public Interface {
 protected:
  explicit PassingChannelOf(const Interface&) {}
};

/// Requests are serialized into memory that counts against the channel's resource quota.
template <class Interface>
class PassingChannelOf<Interface, std::void_t<MemoryAllocatorOf<Interface>>> : public Interface {
 public:
  MemoryAllocatorOf<Interface> memory_allocator() const override { return passed_to_.memory_allocator(); }

 protected:
  /// `channel` must outlive this.
  explicit PassingChannelOf(const Interface& channel) : passed_to_(channel) {}

 private:
  const Interface& passed_to_;
};

using PassingChannel = PassingChannelOf<grpc::ChannelInterface>;

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_PASSING_CHANNEL_H_
