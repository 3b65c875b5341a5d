#include "method_catalog.h"

#include "absl/strings/str_cat.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

MethodCatalog CatalogOf(const google::protobuf::FileDescriptorSet& descriptors) {
  MethodCatalog catalog;
  for (const google::protobuf::FileDescriptorProto& file : descriptors.file()) {
    for (const google::protobuf::ServiceDescriptorProto& service : file.service()) {
      auto& methods = catalog[file.package().empty() ? service.name() : absl::StrCat(file.package(), ".", service.name())];
      for (const google::protobuf::MethodDescriptorProto& method : service.method()) {
        const bool idempotent = method.options().idempotency_level() != google::protobuf::MethodOptions::IDEMPOTENCY_UNKNOWN;
        methods[method.name()] = {idempotent, method.client_streaming() || method.server_streaming(),
                                  method.server_streaming() && !method.client_streaming()};
      }
    }
  }
  return catalog;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
