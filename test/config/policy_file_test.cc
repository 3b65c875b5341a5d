// A watched policy file, with real files and the kernel's notices. Waits end as soon as what they wait for is there.
#include "recloser/config/policy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "recloser/core/link.h"
#include "recloser/core/registry.h"

namespace recloser {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

std::string WithAttempts(int attempts) {
  return absl::StrCat(R"({"method_config": [{"name": [{}], "retry": {"max_attempts": )", attempts, "}}]}");
}

bool Eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + seconds(20);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

void Write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::ptrdiff_t Threads() { return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator()); }

class PolicyFileTest : public ::testing::TestWithParam<bool> {
 protected:
  PolicyFileTest()
      : folder_(fs::path(::testing::TempDir()) / absl::StrCat("policy_file_test_", ::getpid())), path_(folder_ / "policies.json") {
    fs::create_directories(folder_);
  }
  ~PolicyFileTest() override {
    file_.reset();
    fs::remove_all(folder_);
  }

  /// By notices alone, or by looking alone.
  PolicyFileOptions Options() {
    PolicyFileOptions options;
    options.notices = GetParam();
    options.poll_interval = GetParam() ? Duration(hours(1)) : Duration(milliseconds(5));
    options.settle = milliseconds(5);
    options.on_refused = [this](const absl::Status& status) {
      const std::lock_guard<std::mutex> lock(mutex_);
      told_.emplace_back(status.message());
    };
    return options;
  }

  void Open(PolicyFileOptions options) {
    absl::StatusOr<std::shared_ptr<PolicyFile>> file = PolicyFile::Open(path_.string(), std::move(options));
    ASSERT_TRUE(file.ok()) << file.status();
    file_ = *std::move(file);
    source_ = file_->source();
  }
  void Open() { Open(Options()); }

  int Attempts() const { return source_->current()->defaults.defaults.retry.max_attempts; }
  void ExpectAttempts(int attempts) const {
    EXPECT_TRUE(Eventually([&] { return Attempts() == attempts; })) << Attempts() << " instead of " << attempts;
  }
  void ExpectRefused(std::uint64_t times) const {
    EXPECT_TRUE(Eventually([&] { return source_->status().refused >= times; }));
    EXPECT_EQ(source_->status().refused, times);
  }
  std::vector<std::string> told() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return told_;
  }

  /// What careful programs do.
  void Replace(const std::string& text) const {
    const fs::path draft = folder_ / "draft";
    Write(draft, text);
    fs::rename(draft, path_);
  }

  const fs::path folder_;
  const fs::path path_;
  std::shared_ptr<PolicyFile> file_;
  std::shared_ptr<PolicySource> source_;

 private:
  std::mutex mutex_;
  std::vector<std::string> told_;
};

INSTANTIATE_TEST_SUITE_P(By, PolicyFileTest, ::testing::Bool(), [](const auto& by) { return by.param ? "notices" : "looking"; });

TEST_P(PolicyFileTest, AtTheStartThereMustBeAGoodFile) {
  EXPECT_EQ(PolicyFile::Open(path_.string(), Options()).status().code(), absl::StatusCode::kNotFound);
  Write(path_, WithAttempts(0));
  const absl::Status status = PolicyFile::Open(path_.string(), Options()).status();
  EXPECT_EQ(status.message(), path_.string() + ": method_config[0].retry.max_attempts: 0 is not allowed; must be from 1 to 100");
  PolicyFileOptions options = Options();
  options.poll_interval = Duration::zero();
  EXPECT_THAT(std::string(PolicyFile::Open(path_.string(), options).status().message()), HasSubstr("options.poll_interval: 0s"));
}

TEST_P(PolicyFileTest, FollowsAFileThatIsWrittenInPlaceReplacedOrMadeAnew) {
  Write(path_, WithAttempts(4));
  Open();
  EXPECT_EQ(Attempts(), 4);
  EXPECT_EQ(source_->status().origin.name, path_.string());
  EXPECT_EQ(source_->status().origin.hash, PolicyHash(WithAttempts(4)));
  Write(path_, WithAttempts(5));
  ExpectAttempts(5);
  EXPECT_TRUE(Eventually([&] { return source_->status().origin.hash == PolicyHash(WithAttempts(5)); }));
  Replace(WithAttempts(6));
  ExpectAttempts(6);
  const std::uint64_t refused = source_->status().refused;  // a look may have met the file empty
  fs::remove(path_);
  EXPECT_TRUE(Eventually([&] { return source_->status().refused > refused; }));
  EXPECT_EQ(Attempts(), 6);
  Write(path_, WithAttempts(7));
  ExpectAttempts(7);
  EXPECT_EQ(source_->status().applied, 3u);
  EXPECT_EQ(source_->status().last_error, "");
}

TEST_P(PolicyFileTest, FollowsTheLinksOfAKubernetesVolume) {
  const auto publish = [&](const std::string& version, int attempts) {
    fs::create_directory(folder_ / version);
    Write(folder_ / version / "policies.json", WithAttempts(attempts));
    fs::create_directory_symlink(version, folder_ / "..data_tmp");
    fs::rename(folder_ / "..data_tmp", folder_ / "..data");
  };
  publish("..2026_01", 4);
  fs::create_symlink("..data/policies.json", path_);
  Open();
  EXPECT_EQ(Attempts(), 4);
  for (int i = 2; i <= 4; ++i) {
    publish(absl::StrCat("..2026_0", i), 3 + i);
    fs::remove_all(folder_ / absl::StrCat("..2026_0", i - 1));
    ExpectAttempts(3 + i);
  }
}

TEST_P(PolicyFileTest, FollowsALinkIntoAnotherFolder) {
  fs::create_directory(folder_ / "other");
  Write(folder_ / "other" / "a.json", WithAttempts(4));
  Write(folder_ / "other" / "b.json", WithAttempts(5));
  fs::create_symlink("other/a.json", path_);
  Open();
  Write(folder_ / "other" / "a.json", WithAttempts(6));
  ExpectAttempts(6);
  fs::create_symlink("other/b.json", folder_ / "draft");
  fs::rename(folder_ / "draft", path_);
  ExpectAttempts(5);
}

TEST_P(PolicyFileTest, ABadChangeIsRefusedWholeAndToldOnce) {
  Write(path_, WithAttempts(4));
  Open();
  const std::string bad = R"({"method_config": [{"name": [{}], "deadline": "1s"}, {"name": [{"service": "a"}], "deadline": "0s"}]})";
  for (int i = 0; i < 5; ++i) {
    Replace(bad);
    ExpectRefused(1);
  }
  EXPECT_EQ(source_->status().last_error, path_.string() + ": method_config[1].deadline: 0s is not allowed; must be from 1ms to 86400s");
  EXPECT_FALSE(source_->current()->defaults.defaults.deadline.has_value());
  Replace(WithAttempts(5));
  ExpectAttempts(5);
  EXPECT_EQ(source_->status().last_error, "");
  EXPECT_EQ(source_->status().refused, 1u);
  ASSERT_EQ(told().size(), 1u);
  EXPECT_THAT(told()[0], HasSubstr("method_config[1].deadline"));
}

TEST_P(PolicyFileTest, APipeInItsPlaceIsRefusedAndNotWaitedFor) {
  Write(path_, WithAttempts(4));
  Open();
  ASSERT_EQ(mkfifo((folder_ / "draft").c_str(), 0600), 0);
  fs::rename(folder_ / "draft", path_);
  ExpectRefused(1);
  EXPECT_EQ(Attempts(), 4);
  Replace(WithAttempts(5));
  ExpectAttempts(5);
}

TEST_P(PolicyFileTest, BackToWhatIsInForceIsNoChange) {
  Write(path_, WithAttempts(4));
  Open();
  Replace("{");
  ExpectRefused(1);
  Replace(WithAttempts(4));
  EXPECT_TRUE(Eventually([&] { return source_->status().last_error.empty(); }));
  EXPECT_EQ(source_->status().generation, 1u);
  EXPECT_EQ(source_->status().unchanged, 1u);
}

TEST_P(PolicyFileTest, AnUpdateHasTheTimeOfTheClockItWasGiven) {
  Write(path_, WithAttempts(4));
  PolicyFileOptions options = Options();
  options.clock = [] { return Time(seconds(42)); };
  Open(std::move(options));
  const auto subscriber = std::make_shared<int>();
  std::atomic<Time> seen{Time{}};
  source_->Subscribe(subscriber, [&](const PolicyVersion&, Time now) { seen = now; });
  Replace(WithAttempts(5));
  EXPECT_TRUE(Eventually([&] { return seen.load() == Time(seconds(42)); }));
  file_.reset();
}

TEST_P(PolicyFileTest, LinksFollowTheEntriesOfTheirTargets) {
  Write(path_, R"({"method_config": [{"name": [{"service": "a.B"}], "deadline": "1s"}]})");
  Open();
  const std::shared_ptr<Registry> registry = Registry::Create();
  const std::shared_ptr<Link> link = Link::Create("dns:///a:1", source_, registry);
  const std::shared_ptr<Link> other = Link::Create("dns:///b:1", source_, registry);
  const auto deadline = [](Link& of) { return of.Method("/a.B/C", {}, SteadyNow())->policy.deadline; };
  EXPECT_EQ(deadline(*link), seconds(1));
  const std::shared_ptr<SharedBreaker> breaker = link->Method("/a.B/C", {}, SteadyNow())->breaker;
  breaker->ForceOpen(SteadyNow());
  Replace(R"({"method_config": [{"name": [{"service": "a.B"}], "deadline": "2s"}],
              "targets": [{"target": ["dns:///a:1"], "method_config": [{"name": [{"service": "a.B", "method": "C"}], "deadline": "3s"}]}]})");
  EXPECT_TRUE(Eventually([&] { return deadline(*link) == seconds(3); }));
  EXPECT_TRUE(Eventually([&] { return deadline(*other) == seconds(2); }));
  EXPECT_EQ(link->Method("/a.B/C", {}, SteadyNow())->breaker, breaker);
  EXPECT_EQ(breaker->state(), BreakerState::kForcedOpen);
}

TEST_P(PolicyFileTest, NoThreadOutlivesTheLastHandle) {
  Write(path_, WithAttempts(4));
  const std::ptrdiff_t before = Threads();
  for (int i = 0; i < 20; ++i) {
    Open();
    EXPECT_EQ(Threads(), before + 1);
    if (i % 2 == 1) Replace(WithAttempts(4 + i));
    file_.reset();
    EXPECT_TRUE(Eventually([&] { return Threads() == before; }));  // the kernel takes a moment to forget one that was joined
  }
  EXPECT_GE(Attempts(), 4);  // the source lives on
}

TEST_P(PolicyFileTest, TheLastHandleMayBeReleasedByTheFilesOwnThread) {
  Write(path_, WithAttempts(4));
  const std::ptrdiff_t before = Threads();
  PolicyFileOptions options = Options();
  std::atomic<bool> opened{false};
  std::atomic<bool> released{false};
  options.on_refused = [&](const absl::Status&) {
    Eventually([&] { return opened.load(); });
    file_.reset();
    released = true;
    throw std::runtime_error("and it throws");
  };
  Open(std::move(options));
  opened = true;
  Replace("bad");
  EXPECT_TRUE(Eventually([&] { return released.load(); }));
  EXPECT_TRUE(Eventually([&] { return Threads() == before; }));
  EXPECT_EQ(source_->status().refused, 1u);
  EXPECT_EQ(file_, nullptr);
}

using PolicyFileByNotices = PolicyFileTest;
INSTANTIATE_TEST_SUITE_P(Alone, PolicyFileByNotices, ::testing::Values(true));

TEST_P(PolicyFileByNotices, AHalfWrittenFileIsNotSeen) {
  Write(path_, WithAttempts(4));
  PolicyFileOptions options = Options();
  options.settle = milliseconds(300);
  Open(std::move(options));
  const std::string text = WithAttempts(5);
  {
    std::ofstream writer(path_, std::ios::binary);
    writer << text.substr(0, text.size() / 2) << std::flush;
    Write(folder_ / "neighbour", "x");  // wakes the thread
    writer << text.substr(text.size() / 2);
  }
  ExpectAttempts(5);
  EXPECT_EQ(source_->status().applied, 1u);
  EXPECT_EQ(source_->status().refused, 0u);
}

TEST_P(PolicyFileByNotices, ABusyFolderIsHarmless) {
  Write(path_, WithAttempts(4));
  Open();
  for (int i = 0; i < 200; ++i) Write(folder_ / absl::StrCat("neighbour", i % 7), "x");
  Replace(WithAttempts(5));
  ExpectAttempts(5);
  EXPECT_EQ(source_->status().applied, 1u);
  EXPECT_EQ(source_->status().refused, 0u);
}

}  // namespace
}  // namespace recloser
