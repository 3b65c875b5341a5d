// A path may lead to anything.
#include "recloser/config/regular_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace recloser {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

class RegularFile : public ::testing::Test {
 protected:
  RegularFile() : path_(::testing::TempDir() + "regular_file_test_" + std::to_string(getpid())) {}
  ~RegularFile() override { std::filesystem::remove(path_); }

  void ExpectError(absl::StatusCode code, const std::string& ending, std::uint64_t max_bytes = 1000) const {
    const absl::Status status = ReadRegularFile(path_, max_bytes).status();
    EXPECT_EQ(status.code(), code);
    EXPECT_THAT(std::string(status.message()), StartsWith(path_ + ": "));
    EXPECT_THAT(std::string(status.message()), EndsWith(ending));
  }

  const std::string path_;
};

TEST_F(RegularFile, IsReadWholeUpToItsBound) {
  const std::string bytes = std::string(200'000, 'x') + '\0';
  std::ofstream(path_, std::ios::binary) << bytes;
  EXPECT_EQ(*ReadRegularFile(path_, bytes.size()), bytes);
  ExpectError(absl::StatusCode::kResourceExhausted, ": is larger than 200000 bytes", bytes.size() - 1);
  std::ofstream(path_, std::ios::trunc).close();
  EXPECT_EQ(*ReadRegularFile(path_, 0), "");
}

TEST_F(RegularFile, APipeIsRefusedAndNotWaitedFor) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  ExpectError(absl::StatusCode::kNotFound, ": is not a regular file");
}

TEST_F(RegularFile, AFolderIsRefusedAndSoIsNothing) {
  ExpectError(absl::StatusCode::kNotFound, ": cannot be read");
  std::filesystem::create_directory(path_);
  ExpectError(absl::StatusCode::kNotFound, ": is not a regular file");
}

}  // namespace
}  // namespace recloser
