// The fault plans of the demo's service: what is read passes its own check, and is the same when it is written out and read again.
#include <google/protobuf/util/message_differencer.h>

#include <cstdint>

#include "demo_services/fault/plan.h"
#include "file_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace recloser;
  fuzz::FuzzInput input(data, size);
  const fuzz::FileText file(input);
  const absl::StatusOr<demo::v1::FaultPlan> plan = demo::ParsePlan(file.text, file.format);
  if (!plan.ok()) {
    fuzz::CheckRefusal(plan.status());
    return 0;
  }
  FUZZ_CHECK(demo::CheckPlan(*plan).ok());
  for (const FileFormat format : {FileFormat::kJson, FileFormat::kText}) {
    const absl::StatusOr<demo::v1::FaultPlan> again = demo::ParsePlan(fuzz::Print(*plan, format), format);
    FUZZ_CHECK(again.ok());
    FUZZ_CHECK(google::protobuf::util::MessageDifferencer::Equals(*again, *plan));
  }
  return 0;
}
