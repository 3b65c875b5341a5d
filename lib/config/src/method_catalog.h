// The methods that descriptors tell of.
#ifndef RECLOSER_CONFIG_SRC_METHOD_CATALOG_H_
#define RECLOSER_CONFIG_SRC_METHOD_CATALOG_H_

#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace recloser {

struct CatalogMethod {
  bool idempotent = false;  // idempotency_level is declared
  bool streaming = false;
};

/// By service, "package.Service", and method.
using MethodCatalog = std::map<std::string, std::map<std::string, CatalogMethod>>;

MethodCatalog CatalogOf(const google::protobuf::FileDescriptorSet& descriptors);

}  // namespace recloser

#endif  // RECLOSER_CONFIG_SRC_METHOD_CATALOG_H_
