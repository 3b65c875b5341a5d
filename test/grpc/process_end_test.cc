// Processes that end, or fork, with calls under way. Each row is a process of its own, which must end by its own exit code and with
// nothing said by a sanitizer.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "await.h"
#include "fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;

constexpr int kAsItShould = 7;

/// Nothing of it is ever deleted: other threads use it until the process is gone.
struct Client {
  explicit Client(const Reply& first, Attach attach = Attach::kDecorator, Policies policies = FastRetries())
      : server(
            *new ScriptedServer([first](const Seen& seen) { return seen.metadata.count(kPreviousAttemptsHeader) == 0 ? first : Reply(); })),
        stub(*Echo::NewStub(Connect(attach, server.target(), policies, Registry::Create())).release()) {}

  /// A call whose end is `done`.
  void Begin(std::function<void(grpc::Status)> done = [](const grpc::Status&) {}) {
    stub.async()->Echo(new grpc::ClientContext, new EchoRequest, new EchoResponse, std::move(done));
    Eventually([this] { return server.attempts() > 0; });
  }
  grpc::Status Call() {
    grpc::ClientContext context;
    EchoResponse response;
    return stub.Echo(&context, EchoRequest(), &response);
  }

  ScriptedServer& server;
  Echo::Stub& stub;
};

Client& NewClient(const Reply& first) { return *new Client(first); }

Reply Hangs() {
  Reply reply;
  reply.until_cancelled = true;
  return reply;
}

Reply FailsAndAsksFor(const char* pushback_ms) {
  Reply reply;
  reply.status = Unavailable();
  reply.trailers = {{"grpc-retry-pushback-ms", pushback_ms}};
  return reply;
}

void AnotherThreadExits() {
  std::thread([] { exit(kAsItShould); }).join();
}

void WithACallInFlight() {
  NewClient(Hangs()).Begin();
  AnotherThreadExits();
}

void WithACallInBackoff() {
  NewClient(FailsAndAsksFor("60000")).Begin();
  std::this_thread::sleep_for(milliseconds(50));
  AnotherThreadExits();
}

void InACallback() {
  NewClient(FailsAndAsksFor("1")).Begin([](const grpc::Status&) { exit(kAsItShould); });
  std::this_thread::sleep_for(seconds(20));
}

/// Threads that make calls, each with a retry, as long as the process lives.
void BeginLoad() {
  Client& client = NewClient(FailsAndAsksFor("0"));
  for (int i = 0; i < 3; ++i) {
    std::thread([&client] {
      while (true) client.Call();
    }).detach();
  }
  Eventually([&client] { return client.server.attempts() > 50; });
}

void UnderLoad() {
  BeginLoad();
  exit(kAsItShould);
}

void QuicklyUnderLoad() {
  BeginLoad();
  std::quick_exit(kAsItShould);
}

void AtOnceUnderLoad() {
  BeginLoad();
  _exit(kAsItShould);
}

void WithACallInAStaticDestructor() {
  static Client* const client = &NewClient(FailsAndAsksFor("1"));
  std::atexit([] {
    if (!client->Call().ok()) _exit(1);
    if (client->server.attempts() != 2) _exit(2);
  });
  exit(kAsItShould);
}

void WithItsFirstCallBeforeAnyStaticDestructorIsKnown() {
  static Client* const client = &NewClient(FailsAndAsksFor("1"));
  if (!client->Call().ok()) _exit(1);
  std::atexit([] {
    if (!client->Call().ok()) _exit(1);
  });
  exit(kAsItShould);
}

/// The child of a process that has used the library: its own thread is not there, and a call that needs it is told so.
void AfterAFork() {
  Policies policies = FastRetries();
  policies.defaults.deadline = seconds(10);
  Client& client = *new Client(FailsAndAsksFor("1"), Attach::kIntercepted, policies);
  if (!client.Call().ok()) _exit(1);
  const pid_t child = fork();
  if (child == 0) {
    const grpc::Status status = client.Call();
    const bool said = status.error_code() == grpc::StatusCode::FAILED_PRECONDITION &&
                      status.error_message() == "recloser: deadlines do not work in a forked child of a process that used them";
    _exit(said ? 0 : 1);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) _exit(2);
  if (!client.Call().ok()) _exit(3);  // the parent goes on
  exit(kAsItShould);
}

struct Ending {
  const char* name;
  void (*run)();
};
std::ostream& operator<<(std::ostream& out, const Ending& ending) { return out << ending.name; }

/// This process ends with calls under way: their memory is not a leak.
bool ends_under_way = false;

class ProcessDeathTest : public ::testing::TestWithParam<Ending> {};

INSTANTIATE_TEST_SUITE_P(
    Endings, ProcessDeathTest,
    ::testing::Values(Ending{"WithACallInFlight", WithACallInFlight}, Ending{"WithACallInBackoff", WithACallInBackoff},
                      Ending{"InACallback", InACallback}, Ending{"UnderLoad", UnderLoad}, Ending{"QuicklyUnderLoad", QuicklyUnderLoad},
                      Ending{"AtOnceUnderLoad", AtOnceUnderLoad}, Ending{"WithACallInAStaticDestructor", WithACallInAStaticDestructor},
                      Ending{"WithItsFirstCallBeforeAnyStaticDestructorIsKnown", WithItsFirstCallBeforeAnyStaticDestructorIsKnown},
                      Ending{"AfterAFork", AfterAFork}),
    [](const auto& row) { return std::string(row.param.name); });

TEST_P(ProcessDeathTest, Ends) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // executes anew: the child has threads of its own
  const auto run = [] {
    ends_under_way = true;
    GetParam().run();
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(kAsItShould), "");
}

/// What a program may keep in static objects, and in which order they go: the number of an order of three.
struct Statics {
  std::shared_ptr<Registry> registry;
  std::shared_ptr<PolicySource> source;
  std::unique_ptr<Echo::Stub> stub;  // with the channel
};

/// The handlers of `atexit` run as the destructors of static objects do, last made, first gone.
[[noreturn]] void ExitWithStatics(int number, bool used) {
  static auto* const server = new ScriptedServer([](const Seen& seen) {
    Reply reply;
    if (seen.metadata.count(kPreviousAttemptsHeader) == 0) reply.status = Unavailable();
    return reply;
  });
  static auto* const statics = new Statics;
  statics->registry = Registry::Create();
  PolicySet set;
  set.defaults = FastRetries();
  statics->source = PolicySource::Create(std::move(set), {"test", ""});
  ChannelOptions options;
  options.registry = statics->registry;
  statics->stub = Echo::NewStub(CreateChannel(server->target(), grpc::InsecureChannelCredentials(), statics->source, std::move(options)));
  static const auto call = [] {
    grpc::ClientContext context;
    EchoResponse response;
    const grpc::Status status = statics->stub->Echo(&context, EchoRequest(), &response);
    if (status.ok()) return;
    std::fprintf(stderr, "status %d: %s\n", status.error_code(), status.error_message().c_str());
    _exit(1);
  };
  if (used) call();

  std::vector<void (*)()> handlers = {[] { statics->registry = nullptr; }, [] { statics->source = nullptr; },
                                      [] {
                                        call();  // whatever has gone before
                                        statics->stub = nullptr;
                                      }};
  std::vector<int> order = {0, 1, 2};
  for (int i = 0; i < number; ++i) std::next_permutation(order.begin(), order.end());
  for (const int i : order) std::atexit(handlers[static_cast<std::size_t>(i)]);
  exit(kAsItShould);
}

TEST(StaticsDeathTest, ObjectsGoInAnyOrder) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (int number = 0; number < 6; ++number) {
    for (const bool used : {false, true}) {
      EXPECT_EXIT(ExitWithStatics(number, used), ::testing::ExitedWithCode(kAsItShould), "") << number << used;
    }
  }
}

}  // namespace
}  // namespace recloser::testing

// LeakSanitizer asks this when the process ends.
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() { return recloser::testing::ends_under_way ? 1 : 0; }
