#include "text_file.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr std::uintmax_t kMaxBytes = 16 << 20;

std::optional<FileFormat> FormatOf(absl::string_view path) {
  if (absl::EndsWith(path, ".json")) return FileFormat::kJson;
  for (const char* const ending : {".txtpb", ".textproto", ".pbtxt"}) {
    if (absl::EndsWith(path, ending)) return FileFormat::kText;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::string> ReadText(const std::string& path) {
  const absl::Status unreadable = absl::NotFoundError(absl::StrCat(path, ": cannot be read, or is empty"));
  std::error_code error;
  // To open a pipe would wait for a writer.
  if (!std::filesystem::is_regular_file(path, error)) return unreadable;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return unreadable;
  if (size > kMaxBytes) return absl::ResourceExhaustedError(absl::StrCat(path, ": is larger than ", kMaxBytes, " bytes"));
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file.is_open() || !(text << file.rdbuf())) return unreadable;
  return text.str();
}

absl::StatusOr<TextFile> ReadTextFile(const std::string& path, absl::string_view kind) {
  const std::optional<FileFormat> format = FormatOf(path);
  if (!format.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": a ", kind, "'s name must end in .json, .txtpb, .textproto or .pbtxt"));
  }
  absl::StatusOr<std::string> text = ReadText(path);
  if (!text.ok()) return text.status();
  return TextFile{*std::move(text), *format};
}

absl::Status WithPath(absl::string_view path, const absl::Status& status) {
  return status.ok() ? status : absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
