// Waiting for gRPC with a limit: a test that hangs says so and ends the program, since objects that a call still uses would go out of
// scope.
#ifndef RECLOSER_TEST_GRPC_AWAIT_H_
#define RECLOSER_TEST_GRPC_AWAIT_H_

#include <grpcpp/completion_queue.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <map>
#include <string>

#include "gtest/gtest.h"

namespace recloser::testing {

/// Waits for any tag; its `ok`.
inline bool NextOf(grpc::CompletionQueue& queue, void** tag) {
  bool ok = false;
  const auto deadline = std::chrono::system_clock::now() + std::chrono::seconds(20);
  if (queue.AsyncNext(tag, &ok, deadline) != grpc::CompletionQueue::GOT_EVENT) {
    ADD_FAILURE() << "the completion queue did not return a tag";
    std::abort();
  }
  return ok;
}

/// Waits for `tag`; its `ok`.
inline bool Next(grpc::CompletionQueue& queue, void* tag) {
  void* got = nullptr;
  const bool ok = NextOf(queue, &got);
  if (got != tag) {
    ADD_FAILURE() << "the completion queue returned another tag";
    std::abort();
  }
  return ok;
}

template <class T>
T Await(std::future<T> future) {
  if (future.wait_for(std::chrono::seconds(20)) != std::future_status::ready) {
    ADD_FAILURE() << "the callback did not come";
    std::abort();
  }
  return future.get();
}

inline std::multimap<std::string, std::string> Strings(const std::multimap<grpc::string_ref, grpc::string_ref>& map) {
  std::multimap<std::string, std::string> strings;
  for (const auto& [key, value] : map) strings.emplace(std::string(key.data(), key.size()), std::string(value.data(), value.size()));
  return strings;
}

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_AWAIT_H_
