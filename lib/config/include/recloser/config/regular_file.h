// A file's bytes, from a path that somebody gave: reading it neither waits nor fills the memory.
//
//   absl::StatusOr<std::string> bytes = ReadRegularFile("breakers.trace", 1 << 30);
//   // NOT_FOUND: breakers.trace: is not a regular file
//
// Thread safety: a pure function.
#ifndef RECLOSER_CONFIG_REGULAR_FILE_H_
#define RECLOSER_CONFIG_REGULAR_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_API {

/// NOT_FOUND when it can't be read or is no regular file: a pipe, which could make the reader wait, a device or a folder;
/// RESOURCE_EXHAUSTED when it has more than `max_bytes`. Errors begin with the path.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path, std::uint64_t max_bytes);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CONFIG_REGULAR_FILE_H_
