#include "trace_format.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "json.h"
#include "recloser/config/message_file.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {
namespace {

namespace io = google::protobuf::io;

constexpr absl::string_view kMagic = "recloser-trace ";
// A step is at most a few kilobytes: one transition for each attempt that ended with it at most, and names are bounded.
constexpr std::uint32_t kMaxRecord = 1 << 20;
constexpr std::uint32_t kChecksumBytes = 4;

/// FNV-1a of 32 bits (http://www.isthe.com/chongo/tech/comp/fnv): finds what a disk or a copy did, not what somebody did on purpose, which
/// the replay finds.
std::uint32_t Checksum(absl::string_view message) {
  std::uint32_t hash = 2166136261u;
  for (const char c : message) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

std::uint32_t LittleEndian32(absl::string_view bytes) {
  std::uint32_t value = 0;
  (void)io::CodedInputStream::ReadLittleEndian32FromArray(reinterpret_cast<const std::uint8_t*>(bytes.data()), &value);
  return value;
}

v1::TraceRecord Header() {
  v1::TraceRecord record;
  record.mutable_header()->set_format(kTraceFormat);
  return record;
}

absl::Status Newer(std::uint32_t format) {
  return absl::UnimplementedError(
      absl::StrCat("byte 0: written in format ", format, " by a newer version; this one reads format ", kTraceFormat));
}

}  // namespace

std::string TraceBeginning(TraceEncoding encoding) {
  const std::string magic = encoding == TraceEncoding::kBinary ? absl::StrCat(kMagic, kTraceFormat, "\n") : "";
  return magic + Encode(Header(), encoding);
}

std::string Encode(const v1::TraceRecord& record, TraceEncoding encoding) {
  return encoding == TraceEncoding::kBinary ? Frame(record.SerializeAsString()) : ToJson(record, JsonFields::kSet) + "\n";
}

std::string Frame(absl::string_view message) {
  std::string frame;
  io::StringOutputStream stream(&frame);
  io::CodedOutputStream coded(&stream);
  coded.WriteVarint32(static_cast<std::uint32_t>(message.size()));
  coded.WriteRaw(message.data(), static_cast<int>(message.size()));
  coded.WriteLittleEndian32(Checksum(message));
  coded.Trim();
  return frame;
}

absl::StatusOr<bool> TraceReader::Next(v1::TraceRecord* record) {
  if (number_ == 0) {
    if (absl::Status status = ReadBeginning(); !status.ok()) return status;
    absl::StatusOr<bool> header = Read(record);
    if (!header.ok()) return header;
    if (!*header || !record->has_header()) return Damaged("not a decision trace: no header");
    if (record->header().format() > kTraceFormat) return Newer(record->header().format());
  }
  absl::StatusOr<bool> more = Read(record);
  if (more.ok() && *more && record->step_case() == v1::TraceRecord::STEP_NOT_SET) return Damaged("damaged: a record without a step");
  return more;
}

absl::Status TraceReader::Damaged(absl::string_view what) const { return absl::DataLossError(absl::StrCat("byte ", offset_, ": ", what)); }

absl::Status TraceReader::ReadBeginning() {
  if (absl::StartsWith(bytes_, "{")) {
    encoding_ = TraceEncoding::kJsonLines;
    return absl::OkStatus();
  }
  const std::size_t line = bytes_.substr(0, kMagic.size() + 12).find('\n');
  std::uint32_t format = 0;
  if (!absl::StartsWith(bytes_, kMagic) || line == absl::string_view::npos ||
      !absl::SimpleAtoi(bytes_.substr(kMagic.size(), line - kMagic.size()), &format) || format == 0) {
    return Damaged("not a decision trace");
  }
  if (format > kTraceFormat) return Newer(format);
  next_ = line + 1;
  return absl::OkStatus();
}

absl::StatusOr<bool> TraceReader::Read(v1::TraceRecord* record) {
  if (next_ >= bytes_.size()) return false;
  offset_ = next_;
  ++number_;
  absl::Status status = encoding_ == TraceEncoding::kBinary ? ReadBinary(record) : ReadJson(record);
  if (!status.ok()) return status;
  return true;
}

absl::Status TraceReader::ReadBinary(v1::TraceRecord* record) {
  const absl::string_view rest = bytes_.substr(next_);
  io::CodedInputStream length_stream(reinterpret_cast<const std::uint8_t*>(rest.data()),
                                     static_cast<int>(std::min<std::size_t>(rest.size(), 10)));
  std::uint32_t length = 0;
  if (!length_stream.ReadVarint32(&length))
    return Damaged(rest.size() < 5 ? "cut off within a record's length" : "damaged: no record's length");
  if (length > kMaxRecord) return Damaged(absl::StrCat("damaged: a record of ", length, " bytes"));
  const absl::string_view message = rest.substr(static_cast<std::size_t>(length_stream.CurrentPosition()));
  if (message.size() < length + kChecksumBytes) {
    return Damaged(absl::StrCat("cut off: a record of ", length + kChecksumBytes, " bytes, of which ", message.size(), " are there"));
  }
  // Before it is parsed: protobuf prints what it thinks of bytes that are no text.
  if (LittleEndian32(message.substr(length)) != Checksum(message.substr(0, length))) return Damaged("damaged: the checksum is another");
  if (!record->ParseFromArray(message.data(), static_cast<int>(length))) return Damaged("damaged: not a record");
  const std::size_t size = record->ByteSizeLong();
  record->DiscardUnknownFields();
  if (record->ByteSizeLong() != size) return Damaged("a record with fields that this version does not know");
  next_ = bytes_.size() - message.size() + length + kChecksumBytes;
  return absl::OkStatus();
}

absl::Status TraceReader::ReadJson(v1::TraceRecord* record) {
  const std::size_t end = std::min(bytes_.find('\n', next_), bytes_.size());
  const absl::string_view line = bytes_.substr(next_, end - next_);
  if (line.size() > kMaxRecord) return Damaged(absl::StrCat("damaged: a line of ", line.size(), " bytes"));
  const absl::Status parsed = ParseMessage(line, FileFormat::kJson, "record", record);
  if (!parsed.ok()) return Damaged(absl::StrCat(end == bytes_.size() ? "damaged or cut off: " : "damaged: ", parsed.message()));
  next_ = end + 1;
  return absl::OkStatus();
}

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
