// The arms: ways to make a channel, each measured against the first.
#ifndef RECLOSER_BENCH_GRPC_ARMS_H_
#define RECLOSER_BENCH_GRPC_ARMS_H_

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/string_view.h"
#include "cell.h"
#include "recloser/core/registry.h"
#include "recloser/demo/v1/echo.grpc.pb.h"
#include "recloser/prometheus/exporter.h"
#include "service.h"

namespace recloser::bench {

inline constexpr char kBare[] = "bare";
inline constexpr char kBareAgain[] = "bare-again";
inline constexpr char kIdle[] = "do-nothing";
inline constexpr char kIdleDeadline[] = "do-nothing-deadline";
inline constexpr char kBareDeadline[] = "bare-deadline";
inline constexpr char kRetryPolicy[] = "retry-policy";
inline constexpr char kBareCoreOff[] = "bare-core-off";
inline constexpr char kRecloser[] = "recloser";
inline constexpr char kRecloserCoreOff[] = "recloser-core-off";
inline constexpr char kRecloserFactories[] = "recloser-factories";
inline constexpr char kReissue[] = "re-issue";

struct ArmInfo {
  const char* name;
  const char* title;
};
/// All, in the order of the tables; the first is what the others are compared with.
const std::vector<ArmInfo>& AllArms();

/// Arms that can be measured in a cell: in-process channels have no service config, no core retries, and can't be decorated.
bool IsMeasured(absl::string_view arm, const Cell& cell);
/// What a cell's arms are compared with: the bare channel; of recovered calls gRPC's own retries; nothing ("") of rejected ones.
absl::string_view YardstickOf(const Cell& cell);

/// One channel with a connection of its own for each arm, transport and course, made when first asked for.
class Channels {
 public:
  explicit Channels(Service* service) : service_(*service) {}

  demo::v1::Echo::Stub& StubFor(absl::string_view arm, const Cell& cell);
  /// Does every call of the arm set a deadline?
  static bool SetsDeadline(absl::string_view arm) { return arm == kBareDeadline || arm == kIdleDeadline; }
  /// Opens the breakers of a channel whose calls are to be rejected.
  void OpenBreakers(absl::string_view arm, const Cell& cell);

 private:
  struct Client {
    std::shared_ptr<Registry> registry;
    std::shared_ptr<PrometheusExporter> exporter;
    std::unique_ptr<demo::v1::Echo::Stub> stub;
  };
  Client& ClientFor(absl::string_view arm, const Cell& cell);
  Client Make(absl::string_view arm, const Cell& cell);

  Service& service_;
  std::map<std::tuple<std::string, Transport, Course>, Client> clients_;
};

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_ARMS_H_
