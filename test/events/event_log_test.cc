#include "recloser/events/event_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "breaker_driver.h"
#include "recloser/core/registry.h"
#include "recloser/events/sinks.h"
#include "recloser/events/v1/event.pb.h"
#include "valid_text.h"

namespace recloser {
namespace {

namespace v1 = events::v1;
using events_internal::ValidText;

using ::testing::AllOf;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// 2026-11-30 15:04:05.25 UTC.
std::chrono::system_clock::time_point FixedClock() {
  return std::chrono::system_clock::time_point(std::chrono::milliseconds(1796051045250));
}

class Lines {
 public:
  EventLog::Sink sink() {
    return [this](absl::string_view line) {
      const std::lock_guard<std::mutex> lock(mutex_);
      lines_.emplace_back(line);
    };
  }
  std::vector<std::string> lines() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

EventLogOptions AtFixedTime() {
  EventLogOptions options;
  options.clock = &FixedClock;
  return options;
}

class EventLogTest : public ::testing::Test {
 protected:
  EventLogTest() { registry_->AddObserver(log_); }

  std::shared_ptr<SharedBreaker> Breaker(const std::string& method, const BreakerOptions& options = {}) {
    return registry_->FindOrCreate({"dns:///orders:443", "orders.Orders", method}, options, kStart);
  }
  static void Fail(SharedBreaker& breaker) {
    for (int i = 0; i < 12; ++i) {
      const Admission admission = breaker.TryAcquire(kStart + seconds(1), {});
      if (admission.admitted) breaker.Record(admission.permit, kStart + seconds(1), Unavailable());
    }
  }
  v1::Event Parse(const std::string& line) {
    v1::Event event;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(line, &event).ok()) << line;
    return event;
  }

  static constexpr Time kStart = Time(hours(1));
  Lines lines_;
  std::shared_ptr<EventLog> log_ = EventLog::Create(lines_.sink(), AtFixedTime());
  std::shared_ptr<Registry> registry_ = Registry::Create({1024, 1});
};

TEST_F(EventLogTest, ATransitionIsOneLineWithItsNumbersAndItsSentence) {
  BreakerOptions options;
  options.mode = BreakerMode::kShadow;
  Fail(*Breaker("Get", options));
  ASSERT_THAT(lines_.lines(), SizeIs(1));
  const std::string line = lines_.lines()[0];
  EXPECT_THAT(
      line, StartsWith("{\"time\":\"2026-11-30T15:04:05.250Z\",\"event\":\"transition\",\"target\":\"dns:///orders:443\","
                       "\"service\":\"orders.Orders\",\"method\":\"Get\",\"mode\":\"shadow\",\"message\":\"opened by rating: rating 0.67"));
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  const v1::Event event = Parse(line);
  EXPECT_EQ(event.transition().from(), "closed");
  EXPECT_EQ(event.transition().to(), "open");
  EXPECT_EQ(event.transition().reason(), "rating");
  EXPECT_EQ(event.transition().at_seconds(), 3601);
  EXPECT_EQ(event.transition().time_in_from_seconds(), 1);
  EXPECT_EQ(event.transition().generation(), 2u);
  EXPECT_EQ(event.transition().context_calls(), 5);
  EXPECT_EQ(event.transition().context_failed(), 5);
  EXPECT_NEAR(event.transition().rating(), 2.0 / 3, 1e-6);
  EXPECT_NEAR(event.transition().evidence(), event.transition().evidence_limit(), 1e-9);
  EXPECT_EQ(event.transition().slow_call_duration_seconds(), 30);
  ASSERT_THAT(event.transition().scores(), SizeIs(2));  // the latency of failures is unknown
  EXPECT_EQ(event.transition().scores(0).metric(), "errors");
  EXPECT_EQ(event.transition().scores(0).score(), 0);
  // A number that is 0 is there; one that was not used is not.
  EXPECT_THAT(line, AllOf(HasSubstr("\"context_slow\":0"), HasSubstr("\"admitted_share\":0"), Not(HasSubstr("ramp_share")),
                          Not(HasSubstr("wait"))));
}

TEST_F(EventLogTest, HostileNamesStayOneLineOfValidJson) {
  const std::string hostile = "x\"}\n{\"event\":\"forged\"\\\r\x01\xff\xc0\x80\xed\xa0\x80 \u2028\U0001f600";
  registry_->FindOrCreate({hostile, hostile, hostile}, {}, kStart)->ForceOpen(kStart);
  ASSERT_THAT(lines_.lines(), SizeIs(1));
  EXPECT_THAT(lines_.lines()[0], AllOf(Not(HasSubstr("\n")), Not(HasSubstr("\r")), Not(HasSubstr("\xff"))));
  EXPECT_EQ(Parse(lines_.lines()[0]).method(), "x\"}\n{\"event\":\"forged\"\\\r\x01??????\x20\u2028\U0001f600");
}

TEST_F(EventLogTest, ALinesLengthIsBounded) {
  for (const std::string& name : {std::string(100000, 'a'), std::string(100000, '\x01'), std::string(100000, '\xff')}) {
    EventLogOptions options = AtFixedTime();
    options.max_line_bytes = 1;  // clamped to 8 KiB
    Lines lines;
    const auto registry = Registry::Create({16, 1});
    registry->AddObserver(EventLog::Create(lines.sink(), options));
    AdaptiveBreakerOptions adaptive;
    for (int i = 3; i < kMaxMetrics; ++i) {
      adaptive.rating.metrics.push_back({std::make_shared<AmbientMetric>(std::string(i, '\x01') + name, seconds(1)), 0.01});
    }
    registry->FindOrCreate({name, name, name}, Options(adaptive), kStart)->ForceOpen(kStart);
    registry->Report({Problem::Kind::kHookThrew, name, name});
    ASSERT_THAT(lines.lines(), SizeIs(2));
    EXPECT_LE(lines.lines()[0].size(), 8192u);
    EXPECT_LE(lines.lines()[1].size(), 8192u);
    EXPECT_THAT(Parse(lines.lines()[0]).target(), EndsWith("..."));
  }
}

TEST_F(EventLogTest, AProblemIsALine) {
  registry_->Report({Problem::Kind::kTooManyMethods, "t", "too many"});
  ASSERT_THAT(lines_.lines(), SizeIs(1));
  EXPECT_EQ(lines_.lines()[0],
            "{\"time\":\"2026-11-30T15:04:05.250Z\",\"event\":\"problem\",\"target\":\"t\",\"service\":\"\",\"method\":\"\",\"mode\":\"\","
            "\"message\":\"too many\",\"problem\":{\"kind\":\"too_many_methods\"}}");
}

TEST_F(EventLogTest, AChangeOfPoliciesIsALineAndSoIsARefusal) {
  const auto source = PolicySource::Create({}, {"built in", ""});
  log_->Follow(source);
  PolicySet set;
  set.defaults.defaults.deadline = seconds(2);
  ASSERT_TRUE(source->Update(set, {"policies.json", "9f86"}, kStart).ok());
  ASSERT_TRUE(source->Update(set, {"policies.json", "9f86"}, kStart).ok());  // the same again
  log_->PolicyRefused(absl::InvalidArgumentError("policies.json: no"));
  ASSERT_THAT(lines_.lines(), SizeIs(2));
  const v1::Event applied = Parse(lines_.lines()[0]);
  EXPECT_EQ(applied.event(), "policy");
  EXPECT_EQ(applied.policy().result(), "applied");
  EXPECT_EQ(applied.policy().origin(), "policies.json");
  EXPECT_EQ(applied.policy().hash(), "9f86");
  EXPECT_EQ(applied.policy().generation(), 2u);
  const v1::Event refused = Parse(lines_.lines()[1]);
  EXPECT_EQ(refused.policy().result(), "refused");
  EXPECT_EQ(refused.message(), "INVALID_ARGUMENT: policies.json: no");
  log_.reset();
}

TEST_F(EventLogTest, EachTransitionIsTheLinesExactlyOnceUnderManyThreads) {
  const auto breaker = Breaker("Get");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        Fail(*breaker);
        breaker->Reset(kStart + seconds(1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // The last one to be told may still be on its way when its thread has gone on: a transition of our own is told after it.
  breaker->ForceOpen(kStart + seconds(1));
  const std::uint64_t generation = breaker->Snapshot(kStart + seconds(1)).generation;
  const std::vector<std::string> lines = lines_.lines();
  ASSERT_THAT(lines, SizeIs(generation - 1));
  EXPECT_GT(lines.size(), 50u);
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(Parse(lines[i]).transition().generation(), i + 2);
}

TEST(StreamSink, WritesLines) {
  std::ostringstream stream;
  const EventLog::Sink sink = StreamSink(&stream);
  sink("a");
  sink("b");
  EXPECT_EQ(stream.str(), "a\nb\n");
}

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string TempFile(const std::string& name) {
  const std::string path = ::testing::TempDir() + "events_" + name;
  std::remove(path.c_str());
  return path;
}

TEST(LogFile, AppendsLinesAndHasWrittenThemWhenItIsGone) {
  const std::string path = TempFile("append.jsonl");
  std::ofstream(path) << "before\n";
  auto file = LogFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  (*file)->Append("first");
  (*file)->Flush();
  EXPECT_EQ(Read(path), "before\nfirst\n");
  EventLog::Sink sink = (*file)->sink();
  file->reset();
  sink("second");
  sink = nullptr;
  EXPECT_EQ(Read(path), "before\nfirst\nsecond\n");
}

TEST(LogFile, SaysWhyItCannotBeOpened) {
  EXPECT_EQ(LogFile::Open("/nowhere/at/all.jsonl").status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(LogFile::Open("/nowhere/at/all.jsonl").status().ToString(), HasSubstr("/nowhere/at/all.jsonl: cannot be written"));
}

TEST(LogFile, TheApplicationsSignalsAreNotForItsThread) {
  const auto file = LogFile::Open(TempFile("signals.jsonl"));
  ASSERT_TRUE(file.ok()) << file.status();
  sigset_t user;
  sigset_t before;
  sigset_t pending;
  sigemptyset(&user);
  sigaddset(&user, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &user, &before);
  kill(getpid(), SIGUSR1);
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGUSR1), 1) << "this thread does not take it now, and no other one did";
  int taken = 0;
  sigwait(&user, &taken);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(LogFile, CountsLinesThatTheSystemRefuses) {
  const auto file = LogFile::Open("/dev/full");
  ASSERT_TRUE(file.ok()) << file.status();
  (*file)->Append("a");
  (*file)->Flush();
  EXPECT_EQ((*file)->lines_lost(), 1u);
}

TEST(LogFile, ALineThatFitsInPartOnlySpoilsNoLaterOne) {
  const std::string path = TempFile("full.jsonl");
  const auto file = LogFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 10;  // the disk is full after that many bytes
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  (*file)->Append("first");
  (*file)->Flush();
  (*file)->Append("second");
  (*file)->Flush();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  (*file)->Append("third");
  (*file)->Flush();
  EXPECT_EQ(Read(path), "first\nseco\nthird\n");
  EXPECT_EQ((*file)->lines_lost(), 1u);
}

TEST(LogFile, DropsAndCountsWhatABlockedFileCannotTake) {
  // A pipe that nobody reads is a disk that hangs.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  LogFileOptions options;
  options.max_waiting_lines = 10;
  auto file = LogFile::Open("/dev/fd/" + std::to_string(ends[1]), options);
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string line(1 << 20, 'x');  // more than a pipe holds
  for (int i = 0; i < 100; ++i) (*file)->Append(line);
  EXPECT_GE((*file)->lines_lost(), 100u - 20u);
  close(ends[1]);
  std::thread reader([&] {
    std::vector<char> buffer(1 << 16);
    while (read(ends[0], buffer.data(), buffer.size()) > 0) {
    }
  });
  file->reset();
  reader.join();
  close(ends[0]);
}

TEST(ValidText, KeepsWhatIsValidAndCutsBetweenCharacters) {
  EXPECT_EQ(ValidText("", 10), "");
  EXPECT_EQ(ValidText("gr\u00fc\u00df", 10), "gr\u00fc\u00df");
  EXPECT_EQ(ValidText("0123456789", 10), "0123456789");
  EXPECT_EQ(ValidText("0123456789a", 10), "0123456...");
  EXPECT_EQ(ValidText("\u20ac\u20ac\u20ac\u20ac", 10), "\u20ac\u20ac...");
  EXPECT_EQ(ValidText("\xe2\x82", 10), "??");            // cut off
  EXPECT_EQ(ValidText("\xf4\x90\x80\x80", 10), "????");  // above U+10FFFF
  EXPECT_EQ(ValidText("\xf0\x80\x80\xaf", 10), "????");  // overlong
  EXPECT_EQ(ValidText(std::string(1, '\0'), 10), std::string(1, '\0'));
}

}  // namespace
}  // namespace recloser
