// Counts the process's allocations: malloc, calloc, realloc and so operator new, in all threads and libraries.
//
// A program that links this has its own malloc in front of glibc's. A count costs about a nanosecond and no contention, the same for all
// arms. Thread safety: any function, from any thread.
#ifndef RECLOSER_BENCH_GRPC_ALLOCATIONS_H_
#define RECLOSER_BENCH_GRPC_ALLOCATIONS_H_

#include <cstdint>

namespace recloser::bench {

/// Of the process so far.
std::uint64_t AllocationCount();

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_ALLOCATIONS_H_
