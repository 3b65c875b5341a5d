// Interceptors of somebody else: they add a header and write down what they are shown.
#ifndef RECLOSER_TEST_GRPC_MATRIX_OTHER_INTERCEPTORS_H_
#define RECLOSER_TEST_GRPC_MATRIX_OTHER_INTERCEPTORS_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "recloser/channel.h"

namespace recloser::testing::matrix {

/// How often an interceptor saw what, over all calls of its channel: hook points by name, and what their getters gave.
class Sightings {
 public:
  void Add(const std::string& what);
  std::map<std::string, int> counts() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int> counts_;
};

/// Makes interceptors that add the header `name` and report to `sightings`.
std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface> PassingFactory(std::string name,
                                                                                      std::shared_ptr<Sightings> sightings);
/// Makes none.
std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface> NullFactory();

}  // namespace recloser::testing::matrix

#endif  // RECLOSER_TEST_GRPC_MATRIX_OTHER_INTERCEPTORS_H_
