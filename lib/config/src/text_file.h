// Files that people write, as text. Thread safety: pure functions.
#ifndef RECLOSER_CONFIG_SRC_TEXT_FILE_H_
#define RECLOSER_CONFIG_SRC_TEXT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "recloser/config/message_file.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

struct TextFile {
  std::string text;
  FileFormat format = FileFormat::kJson;

  friend bool operator==(const TextFile& a, const TextFile& b) { return a.text == b.text && a.format == b.format; }
};

/// NOT_FOUND when it can't be read, is no regular file or is empty; RESOURCE_EXHAUSTED for more than 16 MiB, which nobody wrote.
absl::StatusOr<std::string> ReadText(const std::string& path);

/// The same with the format that follows from the name, as `ReadMessageFile` has it.
absl::StatusOr<TextFile> ReadTextFile(const std::string& path, absl::string_view kind);

/// An error's message with "<path>: " before it.
absl::Status WithPath(absl::string_view path, const absl::Status& status);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CONFIG_SRC_TEXT_FILE_H_
