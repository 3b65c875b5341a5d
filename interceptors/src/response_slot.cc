#include "response_slot.h"

#include <cstddef>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

using google::protobuf::MessageLite;
using grpc::experimental::InterceptorBatchMethods;
using grpc::internal::CallOpSetInterface;

CallOpSetInterface* OpsOf(InterceptorBatchMethods* batch) {
  return access::Member(access::Ops{}, *static_cast<grpc::internal::InterceptorBatchMethodsImpl*>(batch));
}

// dynamic_cast on an object of a class compiled with -fno-rtti crashes. In the Itanium C++ ABI (2.5.2) the word before the virtual function
// pointers is the typeinfo pointer, null for such classes.
bool HasTypeInfo(const CallOpSetInterface* ops) {
  const auto* const* const vtable = *reinterpret_cast<const void* const* const*>(ops);
  return vtable[-1] != nullptr;
}

// Bytes that a deserializer takes over: gRPC forgets them afterwards and does not free them, so one for bytes keeps the very buffer.
union Surrendered {
  Surrendered() : bytes() {}
  Surrendered(const Surrendered&) = delete;
  Surrendered& operator=(const Surrendered&) = delete;
  ~Surrendered() {}
  grpc::ByteBuffer bytes;
};

}  // namespace

bool ResponseSlot::CanRelay(InterceptorBatchMethods* batch) {
  if (!access::kPrivateMembers) return false;
  CallOpSetInterface* const ops = OpsOf(batch);
  if (!HasTypeInfo(ops)) return false;
  // A queue's first batch has room for response and status, used or not, and so tells the type. A reactor's has not; its second one is
  // type-erased and fills itself.
  const bool of_queue = dynamic_cast<grpc::internal::CallOpClientRecvStatus*>(ops) != nullptr;
  return !of_queue || Of(batch).kind() != Kind::kUnknown;
}

ResponseSlot ResponseSlot::Of(InterceptorBatchMethods* batch) {
  ResponseSlot slot;
  if (!access::kPrivateMembers) return slot;
  CallOpSetInterface* const ops = OpsOf(batch);
  if (!HasTypeInfo(ops)) return slot;
  if ((slot.protobuf_ = dynamic_cast<grpc::internal::CallOpRecvMessage<MessageLite>*>(ops)) != nullptr) {
    slot.kind_ = Kind::kProtobuf;
  } else if ((slot.bytes_ = dynamic_cast<grpc::internal::CallOpRecvMessage<grpc::ByteBuffer>*>(ops)) != nullptr) {
    slot.kind_ = Kind::kBytes;
  } else if ((slot.generic_ = dynamic_cast<grpc::internal::CallOpGenericRecvMessage*>(ops)) != nullptr) {
    slot.kind_ = Kind::kGeneric;
  }
  return slot;
}

grpc::ByteBuffer& ResponseSlot::ReceiveBuffer(InterceptorBatchMethods* batch) {
  // The batch has the address of one member of its `CallOpRecvMessage<R>`, whose layout does not depend on R; the buffer is a neighbour of
  // it.
  using Op = grpc::internal::CallOpRecvMessage<grpc::ByteBuffer>;
  static const std::ptrdiff_t distance = [] {
    Op op;
    const auto address = [](const auto& member) { return reinterpret_cast<const char*>(&member); };
    return address(access::Member(access::ReceiveFailed{}, op)) - address(access::Member(access::ReceiveBuffer{}, op));
  }();
  bool* const failed = access::Member(access::HijackedReceiveFailed{}, *static_cast<grpc::internal::InterceptorBatchMethodsImpl*>(batch));
  return *reinterpret_cast<grpc::ByteBuffer*>(reinterpret_cast<char*>(failed) - distance);
}

void ResponseSlot::Announce(InterceptorBatchMethods* batch, void* message) {
  static_cast<grpc::internal::InterceptorBatchMethodsImpl*>(batch)->SetRecvMessage(message, nullptr);
}

grpc::Status ResponseSlot::Store(grpc::ByteBuffer bytes, void* message) {
  switch (kind_) {
    case Kind::kProtobuf:
      protobuf_->got_message = true;
      return grpc::SerializationTraits<MessageLite>::Deserialize(&bytes, static_cast<MessageLite*>(message));
    case Kind::kBytes:
      bytes_->got_message = true;
      static_cast<grpc::ByteBuffer*>(message)->Swap(&bytes);
      return grpc::Status::OK;
    case Kind::kGeneric: {
      generic_->got_message = true;
      Surrendered given;
      given.bytes.Swap(&bytes);
      return access::Member(access::Deserialize{}, *generic_)->Deserialize(&given.bytes);
    }
    case Kind::kUnknown:
      break;
  }
  return grpc::Status(grpc::StatusCode::INTERNAL, "recloser: a retried call's response has a message type that can't be filled");
}

void ResponseSlot::Clear(void* message) {
  if (kind_ == Kind::kProtobuf) {
    protobuf_->got_message = false;
    static_cast<MessageLite*>(message)->Clear();
  } else if (kind_ == Kind::kBytes) {
    bytes_->got_message = false;
    static_cast<grpc::ByteBuffer*>(message)->Clear();
  }
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
