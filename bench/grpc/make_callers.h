// The callers of each form.
#ifndef RECLOSER_BENCH_GRPC_MAKE_CALLERS_H_
#define RECLOSER_BENCH_GRPC_MAKE_CALLERS_H_

#include <memory>

#include "callers.h"

namespace recloser::bench {

std::unique_ptr<Caller> MakeSyncCaller();
std::unique_ptr<Caller> MakeQueueCaller();
std::unique_ptr<Caller> MakeCallbackCaller();

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_MAKE_CALLERS_H_
