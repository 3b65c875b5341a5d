// The methods that descriptors tell of.
#ifndef RECLOSER_CONFIG_SRC_METHOD_CATALOG_H_
#define RECLOSER_CONFIG_SRC_METHOD_CATALOG_H_

#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

struct CatalogMethod {
  bool idempotent = false;  // idempotency_level is declared
  bool streaming = false;
  bool server_streaming = false;  // streaming, with one request
};

/// By service, "package.Service", and method.
using MethodCatalog = std::map<std::string, std::map<std::string, CatalogMethod>>;

MethodCatalog CatalogOf(const google::protobuf::FileDescriptorSet& descriptors);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CONFIG_SRC_METHOD_CATALOG_H_
