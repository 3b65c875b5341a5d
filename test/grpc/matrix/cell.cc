#include "cell.h"

#include <thread>
#include <utility>

#include "await.h"
#include "gtest/gtest.h"
#include "other_interceptors.h"

namespace recloser::testing::matrix {
namespace {

constexpr milliseconds kParentsDeadline{50'000};

InterceptorFactories FactoriesOf(Others others, const char* name, const std::shared_ptr<Sightings>& sightings) {
  InterceptorFactories factories;
  if (others == Others::kPassing) factories.push_back(PassingFactory(name, sightings));
  if (others == Others::kNull) factories.push_back(NullFactory());
  return factories;
}

// The same for all channels, so that they share one connection.
grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  for (const auto& [name, value] : kTransportArguments) arguments.SetInt(name, value);
  return arguments;
}

}  // namespace

std::vector<Cell> Cells() {
  std::vector<Cell> cells;
  for (const Situation& situation : Situations()) {
    for (const Column& column : Columns()) {
      for (const Attach attach : kBothAttachments) {
        for (const Mode mode : kAllModes) {
          if (situation.not_applicable(column, mode) == nullptr) cells.push_back({&situation, &column, attach, mode});
        }
      }
    }
  }
  return cells;
}

std::string CellName(const Cell& cell) {
  return cell.situation->name + "_" + cell.column->name + "_" + AttachName(cell.attach) + "_" + ModeName(cell.mode);
}

void PrintTo(const Cell& cell, std::ostream* out) { *out << CellName(cell); }

Policies PoliciesOf(const Cell& cell) {
  if (cell.mode == Mode::kOff) return Policies::Off();
  Policies policies = Policies::Defaults();
  MethodPolicy& policy = policies.defaults;
  policy.retry.backoff.base = milliseconds(1);
  policy.retry.backoff.cap = milliseconds(2);
  if (cell.mode == Mode::kQuiet) {
    policy.retry.mode = RetryMode::kAlways;
    policy.retry.retryable_codes = {absl::StatusCode::kDataLoss};
    policy.deadline = std::chrono::hours(2);
    policy.attempt_timeout = std::chrono::hours(1);
    policy.breaker.kind = StandardBreakerOptions();
  } else if (cell.situation->policy) {
    cell.situation->policy(policy);
  }
  return policies;
}

// One call to be made.
struct Laboratory::Order {
  const Situation& situation;
  const Column& column;
  std::function<Reply(int)> answer;
  std::shared_ptr<grpc::ChannelInterface> channel;
  std::shared_ptr<Sightings> outside = std::make_shared<Sightings>();
  std::shared_ptr<Sightings> inside = std::make_shared<Sightings>();
  std::function<bool()> in_backoff = nullptr;  // asked before a cancellation in back-off
  std::string name = "";
  std::shared_ptr<CallLog> log = nullptr;
  std::shared_ptr<std::optional<std::chrono::system_clock::time_point>> deadline =
      std::make_shared<std::optional<std::chrono::system_clock::time_point>>();
};

Laboratory::Laboratory()
    : keeper_(grpc::CreateCustomChannel(service_.target(), grpc::InsecureChannelCredentials(), Arguments())),
      keepers_stub_(demo::v1::Echo::NewStub(keeper_)) {
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  demo::v1::EchoRequest request;
  demo::v1::EchoResponse response;
  std::promise<grpc::Status> done;
  keepers_stub_->async()->Echo(&context, &request, &response, [&](const grpc::Status& status) { done.set_value(status); });
  EXPECT_EQ(Await(done.get_future()).error_message(), "nobody expects this call");
}

Laboratory::~Laboratory() = default;

Sight Laboratory::Run(const Cell& cell, const std::shared_ptr<Registry>& registry, const Tally& tally) {
  Order order{*cell.situation, *cell.column, cell.situation->answer, nullptr};
  ChannelOptions options;
  options.arguments = Arguments();
  options.registry = registry;
  options.outside = FactoriesOf(cell.situation->others, "outside", order.outside);
  options.inside = FactoriesOf(cell.situation->others, "inside", order.inside);
  const auto credentials = grpc::InsecureChannelCredentials();
  if (cell.attach == Attach::kDecorator) {
    order.channel = CreateChannel(target(), credentials, PoliciesOf(cell), std::move(options));
  } else {
    order.channel = CreateInterceptedChannel(target(), credentials, PoliciesOf(cell), std::move(options));
  }
  if (cell.situation->forced_open) {  // the breaker is there after the first call
    Situation healthy;
    Make({healthy, *cell.column, healthy.answer, order.channel});
    for (const auto& breaker : registry->List()) breaker->ForceOpen(Now());
  }
  order.in_backoff = [&tally] { return tally.totals().attempts_finished == 1; };
  return Make(order);
}

const Sight& Laboratory::OnBareChannel(const Situation& situation, const Column& column, int attempt) {
  const auto key = std::tuple(&situation, &column, attempt);
  const auto known = on_bare_channel_.find(key);
  if (known != on_bare_channel_.end()) return known->second;
  const auto answer = [&situation, attempt](int) {
    Reply reply = situation.answer(attempt);
    if (situation.ends_locally) reply.until_cancelled = false;  // nobody would cancel it
    return reply;
  };
  Order order{situation, column, answer, nullptr};
  InterceptorFactories factories = FactoriesOf(situation.others, "outside", order.outside);
  for (auto& inside : FactoriesOf(situation.others, "inside", order.inside)) factories.push_back(std::move(inside));
  order.channel = grpc::experimental::CreateCustomChannelWithInterceptors(target(), grpc::InsecureChannelCredentials(), Arguments(),
                                                                          std::move(factories));
  return on_bare_channel_.emplace(key, Make(order)).first->second;
}

void Laboratory::Prepare(const Order& order, CallSpec& spec) const {
  const Situation& situation = order.situation;
  spec.payload = situation.payload;
  spec.stream_messages = situation.stream_messages;
  if (!situation.declared_idempotent) spec.method = "Increment";
  spec.drop_channel = situation.drop_channel;
  spec.shut_queue_down = situation.shut_queue_down;
  spec.delete_in_callback = situation.delete_in_callback;
  spec.prepare = [&situation, name = order.name, deadline = order.deadline](grpc::ClientContext& context) {
    context.AddMetadata(kCallKey, name);
    if (situation.deadline) context.set_deadline(deadline->emplace(std::chrono::system_clock::now() + *situation.deadline));
    if (situation.bare_context) return;
    context.AddMetadata("key", "value 1");
    context.AddMetadata("key", "value 2");
    context.AddMetadata("key-bin", std::string("\0\1\xff", 3));
    context.set_authority("somebody.example");
    context.set_wait_for_ready(true);
    if (situation.payload.size() < 1000) context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
    if (situation.cancel == Cancel::kBefore) context.TryCancel();
  };
  if (situation.cancel == Cancel::kWaiting) {
    spec.meanwhile = [log = order.log](grpc::ClientContext& context) {
      EXPECT_TRUE(Eventually([&] { return log->waiting() > 0; })) << "the service never waited";
      context.TryCancel();
    };
  } else if (situation.cancel == Cancel::kBackoff && order.in_backoff) {
    spec.meanwhile = [&order](grpc::ClientContext& context) {
      EXPECT_TRUE(Eventually(order.in_backoff)) << "no back-off";
      context.TryCancel();
    };
  }
}

Sight Laboratory::Make(const Order& given) {
  Order order = given;
  order.name = std::to_string(++calls_);
  order.log = service_.Expect(order.name, order.answer);
  CallSpec spec;
  Prepare(order, spec);
  Sight sight;
  const auto make = [&] { sight.result = matrix::Make(order.column, std::move(order.channel), std::move(spec)); };
  const Parent parent = order.situation.parent;
  if (parent == Parent::kNone) {
    make();
  } else {
    const auto serve = [&](const grpc::ServerContext& context) {
      if (parent == Parent::kCancelledBefore) {
        EXPECT_TRUE(Eventually([&] { return context.IsCancelled(); }));
      }
      spec.context = grpc::ClientContext::FromServerContext(context);
      make();
    };
    std::function<void(grpc::ClientContext&)> meanwhile;
    if (parent == Parent::kCancelledBefore || parent == Parent::kCancelled) {
      const bool before = parent == Parent::kCancelledBefore;
      meanwhile = [this, before, log = order.log](grpc::ClientContext& context) {
        EXPECT_TRUE(Eventually([&] { return before ? parents_.serving() : log->waiting() > 0; }));
        context.TryCancel();
      };
    }
    parents_.Serve(parent == Parent::kExpires ? kShort : kParentsDeadline, serve, meanwhile);
  }
  sight.deadline = *order.deadline;
  sight.seen = order.log->seen();
  sight.outside = order.outside->counts();
  sight.inside = order.inside->counts();
  service_.Forget(order.name);
  return sight;
}

}  // namespace recloser::testing::matrix
