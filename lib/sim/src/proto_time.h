// google.protobuf.Duration as a core duration; saturating. Thread safety: pure.
#ifndef RECLOSER_SIM_SRC_PROTO_TIME_H_
#define RECLOSER_SIM_SRC_PROTO_TIME_H_

#include <google/protobuf/duration.pb.h>

#include "recloser/core/time.h"

namespace recloser::sim {

inline Duration FromProto(const google::protobuf::Duration& d) {
  Duration::rep nanoseconds = 0;
  if (__builtin_mul_overflow(d.seconds(), Duration::rep{1'000'000'000}, &nanoseconds)) return d.seconds() > 0 ? kForever : Duration::min();
  return SaturatingAdd(Duration(nanoseconds), Duration(d.nanos()));
}

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_PROTO_TIME_H_
