// Connections, which the simulator does not have: a real channel notices that a service is back when it next tries to connect.
//
// Thread safety: pure.
#ifndef RECLOSER_TOOLS_EVALUATE_RECONNECTS_H_
#define RECLOSER_TOOLS_EVALUATE_RECONNECTS_H_

#include <cstdint>

#include "recloser/sim/scenario.h"

namespace recloser::tools {

/// gRPC's longest wait between its own connection attempts, the same in every arm. Its defaults, 1 s and growing, would decide the time to
/// recover from a crash in all of them.
inline constexpr int kReconnectBackoffMs = 20;

/// For one simulated run of a realised scenario: each refusal lasts longer by what a channel needs to connect again, drawn by `seed` from
/// [0, 2 * kReconnectBackoffMs]: the wait, with gRPC's jitter, and the time to open the port and to shake hands.
sim::Scenario WithReconnects(const sim::Scenario& scenario, std::uint64_t seed);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_EVALUATE_RECONNECTS_H_
