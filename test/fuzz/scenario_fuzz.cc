// Scenario files: the same scenario by both formats, whatever the file is.
#include <cstdint>
#include <string>

#include "file_text.h"
#include "recloser/sim/scenario.h"
#include "recloser/sim/v1/scenario.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace recloser;
  fuzz::FuzzInput input(data, size);
  const fuzz::FileText file(input);
  const absl::StatusOr<sim::Scenario> scenario = sim::ParseScenario(file.text, file.format);
  if (!scenario.ok()) {
    fuzz::CheckRefusal(scenario.status());
    return 0;
  }
  FUZZ_CHECK(!scenario->services.empty());
  FUZZ_CHECK(scenario->length >= Duration::zero() && scenario->warm_up >= Duration::zero());
  for (const FileFormat format : {FileFormat::kJson, FileFormat::kText}) {
    sim::v1::Scenario message;
    FUZZ_CHECK(ParseMessage(file.text, file.format, "scenario", &message).ok());
    const absl::StatusOr<sim::Scenario> again = sim::ParseScenario(fuzz::Print(message, format), format);
    FUZZ_CHECK(again.ok());
    FUZZ_CHECK(again->id == scenario->id && again->length == scenario->length && again->load.rate == scenario->load.rate);
    FUZZ_CHECK(again->services.size() == scenario->services.size());
    for (std::size_t i = 0; i < scenario->services.size(); ++i) {
      FUZZ_CHECK(again->services[i].faults.size() == scenario->services[i].faults.size());
      FUZZ_CHECK(again->services[i].service_time == scenario->services[i].service_time);
    }
  }
  return 0;
}
