// Records as bytes, and back.
#ifndef RECLOSER_EVENTS_SRC_TRACE_FORMAT_H_
#define RECLOSER_EVENTS_SRC_TRACE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "recloser/events/decision_trace.h"
#include "recloser/events/v1/trace.pb.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {

namespace v1 = events::v1;

inline constexpr std::uint32_t kTraceFormat = 1;

using TraceEncoding = DecisionTraceOptions::Format;

/// What a trace begins with.
std::string TraceBeginning(TraceEncoding encoding);
std::string Encode(const v1::TraceRecord& record, TraceEncoding encoding);
/// A binary record of a serialized message: length, message, checksum.
std::string Frame(absl::string_view message);

/// Reads a trace in either form, record by record.
///
///   TraceReader reader(bytes);
///   while (true) {
///     absl::StatusOr<bool> more = reader.Next(&record);
///     if (!more.ok()) return more.status();     // DATA_LOSS: byte 1234: cut off: a record of 27 bytes, of which 9 are there
///     if (!*more) break;
///   }
///
/// Thread safety: none.
class TraceReader {
 public:
  /// `bytes` must outlive the reader.
  explicit TraceReader(absl::string_view bytes) : bytes_(bytes) {}

  /// The next record after the header; false at the end. DATA_LOSS when what is there is no trace, damaged or cut off, UNIMPLEMENTED when a
  /// newer version wrote it; messages begin with the offset of the record.
  absl::StatusOr<bool> Next(v1::TraceRecord* record);

  /// Of the latest record: its number, from 1 for the header, and where it begins.
  std::uint32_t number() const { return number_; }
  std::size_t offset() const { return offset_; }
  /// An error about the latest record.
  absl::Status Damaged(absl::string_view what) const;

 private:
  absl::Status ReadBeginning();
  absl::StatusOr<bool> Read(v1::TraceRecord* record);
  absl::Status ReadBinary(v1::TraceRecord* record);
  absl::Status ReadJson(v1::TraceRecord* record);

  const absl::string_view bytes_;
  TraceEncoding encoding_ = TraceEncoding::kBinary;
  std::size_t next_ = 0;
  std::size_t offset_ = 0;
  std::uint32_t number_ = 0;
};

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_EVENTS_SRC_TRACE_FORMAT_H_
