// The sources of policies as the page's messages.
#ifndef RECLOSER_PAGE_SRC_POLICY_SOURCES_H_
#define RECLOSER_PAGE_SRC_POLICY_SOURCES_H_

#include <functional>
#include <string>

#include "recloser/core/policy_source.h"
#include "recloser/core/registry.h"
#include "recloser/page/v1/status.pb.h"

namespace recloser::page {

/// `text` writes policies for people; it may be empty, and is the application's code.
void AddPolicySources(Registry& registry, const std::function<std::string(const PolicySet&)>& text, v1::Status* status);

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_POLICY_SOURCES_H_
