// What the calls of one channel share: the link (policies, breakers, budget) and the channel's own facts.
#ifndef RECLOSER_CHANNEL_BINDING_H_
#define RECLOSER_CHANNEL_BINDING_H_

#include <grpcpp/support/client_interceptor.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "connectivity_watch.h"
#include "grpc_access.h"
#include "passing_channel.h"
#include "recloser/core/call_session.h"
#include "recloser/core/link.h"
#include "recloser/core/policies.h"
#include "recloser/core/policy_source.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// A view of a channel behind one of its interceptors: calls made on it pass only the interceptors after `position`. Unlike gRPC's own
/// InterceptedChannel the position is absolute, so stacked interceptors and factories that return null can't send a call round for ever.
class InnerChannel final : public PassingChannel {
 public:
  InnerChannel(grpc::ChannelInterface* channel, std::size_t position) : PassingChannel(*channel), channel_(*channel), position_(position) {}
  grpc_connectivity_state GetState(bool try_to_connect) override { return channel_.GetState(try_to_connect); }

 private:
  grpc::internal::Call CreateCall(const grpc::internal::RpcMethod& method, grpc::ClientContext* context,
                                  grpc::CompletionQueue* queue) override;
  void PerformOpsOnCall(grpc::internal::CallOpSetInterface* ops, grpc::internal::Call* call) override;
  void* RegisterMethod(const char*) override { return nullptr; }
  void NotifyOnStateChangeImpl(grpc_connectivity_state last, gpr_timespec deadline, grpc::CompletionQueue* queue, void* tag) override;
  bool WaitForStateChangeImpl(grpc_connectivity_state last, gpr_timespec deadline) override;

  grpc::ChannelInterface& channel_;
  const std::size_t position_;
};

/// What is settled about a call before it exists in gRPC.
struct CallSetup {
  MethodRef method;  // none with invalid policies
  CallOverrides overrides;
  Time created{};
  Time callers_deadline = kInfiniteFuture;
  /// The call is made through gRPC's callback API, where a request may be freed as soon as the call has begun; a blocking caller's outlives
  /// its call. Without the decorator this is not known and taken as true.
  bool callback_api = true;
  /// gRPC itself enforces the policy's deadlines; else the interceptor has to cancel in time.
  bool native_deadlines = false;
  /// The decorator that the call was made through: gRPC's streams keep a bare pointer to it, and its newer versions ask it for memory with
  /// every write. So it lives as long as the call's context, as gRPC's own channels do.
  std::shared_ptr<const void> decorator;
};

/// What a channel's policies are, or who says it.
using PoliciesOrSource = std::variant<Policies, std::shared_ptr<PolicySource>>;

class ChannelBinding {
 public:
  /// `target`: empty = ask the channel. Invalid policies are kept as an error that every call gets. `core_may_retry`: gRPC's own retries
  /// are not switched off by the channel's arguments.
  ChannelBinding(std::string target, PoliciesOrSource policies, std::shared_ptr<Registry> registry, bool core_may_retry);

  /// Learns the channel's facts; called with every call, acts on the first. `self`: the factory in the channel's list.
  void Attach(grpc::experimental::ClientRpcInfo& info, const grpc::experimental::ClientInterceptorFactoryInterface* self);

  const absl::Status& policy_error() const { return policy_error_; }
  /// Settles a call: takes the call's options out of its context.
  CallSetup Setup(const char* method, grpc::internal::RpcMethod::RpcType type, grpc::ClientContext& context);

  /// For re-issued attempts, only after `Attach`.
  const std::shared_ptr<grpc::ChannelInterface>& inner_channel() const { return inner_channel_; }
  /// Interceptors behind ours may add metadata to the caller's map.
  bool others_behind() const { return others_behind_; }
  /// gRPC's own retryPolicy is active for this method: retries on top of it would multiply. Told once as a Problem.
  bool core_retries(const MethodId& method);
  /// A call can't be repeated because its messages can't be re-created. Told once as a Problem.
  void NoteUnsupportedMessage(const MethodId& method);
  /// A breaker refused a call, or in shadow mode would have. Only after `Attach`.
  void NoteRefused();
  std::uint64_t NextSeed();

 private:
  const std::shared_ptr<Link>& link();

  std::string target_;
  const PoliciesOrSource policies_;
  const absl::Status policy_error_;
  const std::shared_ptr<Registry> registry_;
  const bool core_may_retry_;
  std::once_flag attached_;
  grpc::Channel* channel_ = nullptr;  // owns the factory that owns this
  std::shared_ptr<grpc::ChannelInterface> inner_channel_;
  bool others_behind_ = false;
  std::once_flag linked_;
  std::shared_ptr<Link> link_;
  std::once_flag watched_;
  std::shared_ptr<ConnectivityWatch> connectivity_;  // null before the first refused call, and where there is nothing to watch
  std::atomic<std::uint64_t> seed_;
  std::atomic<bool> core_retries_told_{false};
  std::atomic<bool> unsupported_told_{false};
};

/// The setup of the call that this thread is creating, handed from the channel decorator to its own factory: a channel may have other
/// Reclosers among its interceptors.
class ScopedCallSetup {
 public:
  /// `setup` outlives this, and is moved from by whom it is handed to.
  ScopedCallSetup(const ChannelBinding& binding, const grpc::ClientContext* context, CallSetup* setup)
      : outer_(std::exchange(current_, this)), binding_(binding), context_(context), setup_(setup) {}
  ~ScopedCallSetup() { current_ = outer_; }
  ScopedCallSetup(const ScopedCallSetup&) = delete;
  ScopedCallSetup& operator=(const ScopedCallSetup&) = delete;

  /// Once. Null when the call was not made through the binding's decorator.
  static CallSetup* Take(const ChannelBinding& binding, const grpc::ClientContext* context);

 private:
  static thread_local ScopedCallSetup* current_;
  ScopedCallSetup* const outer_;
  const ChannelBinding& binding_;
  const grpc::ClientContext* const context_;
  CallSetup* setup_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CHANNEL_BINDING_H_
