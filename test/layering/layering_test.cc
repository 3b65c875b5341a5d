// The tree keeps the rules, and the rules catch what they are there for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rules.h"
#include "source_tree.h"

namespace recloser::layering {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<Breach> CheckAll(const std::vector<SourceFile>& files) {
  std::vector<Breach> breaches = CheckLayering(files);
  const std::vector<Breach> hygiene = CheckHygiene(files);
  breaches.insert(breaches.end(), hygiene.begin(), hygiene.end());
  return breaches;
}

TEST(Tree, KeepsItsLayers) { EXPECT_THAT(CheckLayering(ReadTree(RECLOSER_SOURCE_DIR)), IsEmpty()); }

TEST(Tree, IsTidy) { EXPECT_THAT(CheckHygiene(ReadTree(RECLOSER_SOURCE_DIR)), IsEmpty()); }

TEST(Tree, IsReadAtAll) {
  bool core = false;
  bool binding = false;
  for (const SourceFile& file : ReadTree(RECLOSER_SOURCE_DIR)) {
    core = core || (file.path == "lib/core/include/recloser/core/breaker.h" && file.includes.size() > 5);
    binding = binding || (file.path == "interceptors/include/recloser/channel.h" && file.includes.size() > 5);
  }
  EXPECT_TRUE(core);
  EXPECT_TRUE(binding);
}

/// A tree of its own, gone at the end of the test.
class Breaches : public ::testing::Test {
 protected:
  Breaches()
      : root_(fs::path(::testing::TempDir()) /
              ("layering_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(root_);
  }
  ~Breaches() override { fs::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }

  std::vector<Breach> Check() const { return CheckAll(ReadTree(root_)); }

 private:
  const fs::path root_;
};

struct Line {
  const char* file;
  const char* line;
};

TEST_F(Breaches, AreReportedWithFileAndLine) {
  const std::vector<Line> wrong = {
      {"lib/core/src/a.cc", "#include <grpcpp/grpcpp.h>"},
      {"lib/core/src/a.cc", "#include <prometheus/counter.h>"},
      {"lib/core/src/a.cc", "#include <unistd.h>"},
      {"lib/core/src/a.cc", "#include \"not_there.h\""},
      {"lib/core/src/a.cc", "  #  include \"recloser/channel.h\""},
      {"lib/core/src/a.cc", "auto t = std::chrono::steady_clock::now();"},
      {"lib/core/src/a.cc", "using Clock = std::chrono::system_clock;"},
      {"lib/core/src/a.cc", "absl::Time t = absl::Now();"},
      {"lib/core/src/a.cc", "long t = time(nullptr);"},
      {"lib/core/src/a.cc", "gettimeofday(&t, nullptr);"},
      {"lib/core/src/a.cc", "absl::SleepFor(d);"},
      {"lib/core/src/a.cc", "std::this_thread::sleep_for(d);"},
      {"lib/core/src/a.cc", "std::thread t([] {});"},
      {"lib/core/src/a.cc", "std::mutex m;"},
      {"lib/core/src/registry.cc", "absl::Mutex m;"},
      {"lib/core/src/a.cc", "throw 1;"},
      {"lib/core/src/a.cc", "namespace recloser {\ninline namespace RECLOSER_API {"},
      {"lib/page/include/recloser/page/a.cc", "namespace recloser {\ninline namespace RECLOSER_INTERNAL {"},
      {"interceptors/src/a.cc", "namespace recloser {"},
      {"lib/prometheus/src/a.cc", "#include <grpcpp/channel.h>"},
      {"lib/prometheus/src/a.cc", "std::cerr << 1;"},
      {"interceptors/src/a.cc", "#include <prometheus/registry.h>"},
      {"interceptors/src/a.cc", "#include \"recloser/sim/world.h\""},
      {"interceptors/src/a.cc", "prometheus::Counter* c;"},
      {"interceptors/src/a.cc", "std::exit(1);"},
      {"examples/a.cc", "prometheus::Exposer exposer;"},
      {"demo_services/a.cc", "\tint tab;"},
      {"demo_services/a.cc", "int space; "},
      {"docs/a.md",
       "TO"
       "DO: write"},
  };
  for (const Line& breach : wrong) {
    SCOPED_TRACE(std::string(breach.file) + ": " + breach.line);
    Write(breach.file, std::string("\n") + breach.line + "\n");
    EXPECT_THAT(Check(), ElementsAre(AllOf(Field(&Breach::file, breach.file), Field(&Breach::line, 2))));
    Write(breach.file, "");
  }
}

TEST_F(Breaches, AreNotSeenWhereThereAreNone) {
  const std::vector<Line> right = {
      {"lib/core/src/a.cc", "#include <vector>"},
      {"lib/core/src/a.cc", "#include \"absl/status/status.h\""},
      {"lib/core/src/a.cc", "#include \"recloser/core/time.h\""},
      {"lib/core/src/a.cc", "#include \"private.h\""},
      {"lib/core/src/a.cc", "// steady_clock::now() is not for us; #include <grpcpp/grpcpp.h>"},
      {"lib/core/src/a.cc", "const char* s = \"absl::Now()\";"},
      {"lib/core/src/a.cc", "/*\n#include <unistd.h>\n*/ int i;"},
      {"lib/core/src/a.cc", "int window_time(int); int n = 1'000; Time(n);"},
      {"lib/core/src/a.cc", "void F(std::chrono::steady_clock::time_point);"},
      {"lib/core/src/registry.cc", "std::mutex m;"},
      {"lib/prometheus/src/a.cc", "#include <prometheus/counter.h>"},
      {"lib/prometheus/src/a.cc", "prometheus::Counter* c;"},
      {"demo_services/a.cc", "prometheus::Exposer exposer;"},
      {"interceptors/src/a.cc", "#include <grpcpp/grpcpp.h>"},
      {"interceptors/src/a.cc", "auto t = std::chrono::steady_clock::now();"},
      {"interceptors/src/a.cc", "namespace recloser {\ninline namespace RECLOSER_INTERNAL {"},
      {"lib/core/include/recloser/core/a.cc", "namespace recloser {\ninline namespace RECLOSER_API {"},
      {"lib/page/src/a.cc", "namespace recloser::page {"},
      {"lib/sim/src/a.cc", "namespace recloser {"},
      {"build/dev/a.cc", "\t"},
  };
  Write("lib/core/src/private.h", "#ifndef PRIVATE_H_\n#define PRIVATE_H_\n#endif\n");
  for (const Line& fine : right) {
    SCOPED_TRACE(std::string(fine.file) + ": " + fine.line);
    Write(fine.file, std::string(fine.line) + "\n");
    EXPECT_THAT(Check(), IsEmpty());
    Write(fine.file, "");
  }
}

TEST_F(Breaches, OfHeaders) {
  const std::string path = "lib/core/include/recloser/core/a.h";
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"// What it is.\nint a;\n", "no include guard"},
      {"// What it is.\n#ifndef A_H\n#define B_H\n#endif\n", "no include guard"},
      {"// What it is.\n#ifndef A_H_\n#define A_H_\n#endif\n", "RECLOSER_CORE_A_H_"},
      {"#ifndef RECLOSER_CORE_A_H_\n#define RECLOSER_CORE_A_H_\n#endif\n", "what it is for"},
      {"// What it is.\n#ifndef RECLOSER_CORE_A_H_\n#define RECLOSER_CORE_A_H_\n#endif", "line break"},
      {"// What it is.\n#ifndef RECLOSER_CORE_A_H_\n#define RECLOSER_CORE_A_H_\n#endif\n\n", "line break"},
  };
  for (const auto& [text, what] : wrong) {
    SCOPED_TRACE(text);
    Write(path, text);
    EXPECT_THAT(Check(), ElementsAre(Field(&Breach::what, HasSubstr(what))));
  }
  Write(path, "// What it is.\n#ifndef RECLOSER_CORE_A_H_\n#define RECLOSER_CORE_A_H_\n#endif\n");
  EXPECT_THAT(Check(), IsEmpty());
}

TEST(BlankComments, KeepsLinesAndCode) {
  EXPECT_EQ(BlankComments("a // b\nc /* d\ne */ f", false), "a     \nc     \n     f");
  EXPECT_EQ(BlankComments("x = \"// no\"; y", false), "x =        ; y");
  EXPECT_EQ(BlankComments("x = \"// no\"; y", true), "x = \"// no\"; y");
  EXPECT_EQ(BlankComments("R\"q(\" // )q\" z", false), "R            z");
  EXPECT_EQ(BlankComments("'\"' + \"\\\"\" // c", false), "    +          ");
}

}  // namespace
}  // namespace recloser::layering
