#include <iostream>

#include "demo_services/common/lag_meter.h"
#include "demo_services/common/signals.h"
#include "demo_services/fault/server.h"
#include "demo_services/load_client/json.h"
#include "demo_services/server/serve_until_signal.h"
#include "evaluate/roles.h"
#include "recloser/demo/v1/report.pb.h"

namespace recloser::tools {

int RunServer() {
  demo::BlockStopSignals();
  absl::StatusOr<std::unique_ptr<demo::FaultServer>> server = demo::FaultServer::Start({});
  if (!server.ok()) {
    std::cerr << server.status().message() << "\n";
    return 1;
  }
  demo::LagMeter meter;
  demo::ServeUntilSignal(server->get(), {{"echo", (*server)->address()}, {"control", (*server)->control_address()}});
  demo::v1::ProcessEnd end;
  const demo::Lag lag = meter.Stop();
  end.set_lag_p99_ms(1e3 * ToSeconds(lag.p99));
  end.set_lag_max_ms(1e3 * ToSeconds(lag.max));
  std::cout << demo::ToJsonLine(end) << std::endl;
  return 0;
}

}  // namespace recloser::tools
