// google.protobuf.Duration to and from the core's durations; saturating. Thread safety: pure functions.
#ifndef RECLOSER_CONFIG_DURATION_H_
#define RECLOSER_CONFIG_DURATION_H_

#include <google/protobuf/duration.pb.h>

#include "recloser/core/export.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

inline Duration FromProto(const google::protobuf::Duration& d) {
  Duration::rep nanoseconds = 0;
  if (__builtin_mul_overflow(d.seconds(), Duration::rep{1'000'000'000}, &nanoseconds)) return d.seconds() > 0 ? kForever : Duration::min();
  return SaturatingAdd(Duration(nanoseconds), Duration(d.nanos()));
}

inline google::protobuf::Duration ToProto(Duration d) {
  google::protobuf::Duration result;
  result.set_seconds(d.count() / 1'000'000'000);
  result.set_nanos(static_cast<std::int32_t>(d.count() % 1'000'000'000));
  return result;
}

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CONFIG_DURATION_H_
