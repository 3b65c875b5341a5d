#include "trace_format.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "json.h"
#include "recloser/config/message_file.h"

namespace recloser::events {
namespace {

namespace io = google::protobuf::io;

constexpr absl::string_view kMagic = "recloser-trace ";
// A step is at most a few kilobytes: one transition for each attempt that ended with it at most, and names are bounded.
constexpr std::uint32_t kMaxRecord = 1 << 20;

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
  if (encoding == TraceEncoding::kBinary) {
    std::string bytes;
    io::StringOutputStream stream(&bytes);
    google::protobuf::util::SerializeDelimitedToZeroCopyStream(record, &stream);
    return bytes;
  }
  return ToJson(record, JsonFields::kSet) + "\n";
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
  const auto begin = static_cast<std::size_t>(length_stream.CurrentPosition());
  if (rest.size() - begin < length) {
    return Damaged(absl::StrCat("cut off: a record of ", length, " bytes, of which ", rest.size() - begin, " are there"));
  }
  if (!record->ParseFromArray(rest.data() + begin, static_cast<int>(length))) return Damaged("damaged: not a record");
  const std::size_t size = record->ByteSizeLong();
  record->DiscardUnknownFields();
  if (record->ByteSizeLong() != size) return Damaged("a record with fields that this version does not know");
  next_ += begin + length;
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

}  // namespace recloser::events
