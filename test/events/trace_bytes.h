// Traces taken apart and put together.
#ifndef RECLOSER_TEST_EVENTS_TRACE_BYTES_H_
#define RECLOSER_TEST_EVENTS_TRACE_BYTES_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "recloser/events/v1/trace.pb.h"
#include "trace_format.h"

namespace recloser {

namespace v1 = events::v1;
using events_internal::Encode;
using events_internal::TraceBeginning;
using events_internal::TraceEncoding;
using events_internal::TraceReader;

/// The records after the header.
inline std::vector<v1::TraceRecord> RecordsOf(absl::string_view trace) {
  std::vector<v1::TraceRecord> records;
  TraceReader reader(trace);
  v1::TraceRecord record;
  while (true) {
    const absl::StatusOr<bool> more = reader.Next(&record);
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) return records;
    records.push_back(record);
  }
}

inline std::string TraceOf(const std::vector<v1::TraceRecord>& records, TraceEncoding encoding = TraceEncoding::kBinary) {
  std::string trace = TraceBeginning(encoding);
  for (const v1::TraceRecord& record : records) trace += Encode(record, encoding);
  return trace;
}

}  // namespace recloser

#endif  // RECLOSER_TEST_EVENTS_TRACE_BYTES_H_
