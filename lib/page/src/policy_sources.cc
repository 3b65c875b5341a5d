#include "policy_sources.h"

#include <memory>

#include "recloser/core/utf8.h"

namespace recloser::page {

void AddPolicySources(Registry& registry, const std::function<std::string(const PolicySet&)>& text, v1::Status* status) {
  for (const std::shared_ptr<PolicySource>& source : registry.Sources()) {
    const PolicySourceStatus told = source->status();
    v1::PolicySource& shown = *status->add_policy_sources();
    shown.set_name(ToUtf8(told.origin.name));
    shown.set_hash(ToUtf8(told.origin.hash));
    shown.set_generation(static_cast<double>(told.generation));
    shown.set_applied(static_cast<double>(told.applied));
    shown.set_unchanged(static_cast<double>(told.unchanged));
    shown.set_refused(static_cast<double>(told.refused));
    shown.set_last_error(ToUtf8(told.last_error));
    if (text) registry.Guard([&] { shown.set_text(ToUtf8(text(*source->current()))); });
  }
}

}  // namespace recloser::page
