#include "text_file.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recloser/config/regular_file.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr std::uint64_t kMaxBytes = 16 << 20;

std::optional<FileFormat> FormatOf(absl::string_view path) {
  if (absl::EndsWith(path, ".json")) return FileFormat::kJson;
  for (const char* const ending : {".txtpb", ".textproto", ".pbtxt"}) {
    if (absl::EndsWith(path, ending)) return FileFormat::kText;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::string> ReadText(const std::string& path) {
  absl::StatusOr<std::string> text = ReadRegularFile(path, kMaxBytes);
  if (text.ok() && text->empty()) return absl::NotFoundError(absl::StrCat(path, ": is empty"));
  return text;
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
