// One cell of the matrix: a situation met by one form of the API on one channel, and what is seen of it on both sides.
#ifndef RECLOSER_TEST_GRPC_MATRIX_CELL_H_
#define RECLOSER_TEST_GRPC_MATRIX_CELL_H_

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "column.h"
#include "fixture.h"
#include "parent_service.h"
#include "service.h"
#include "situation.h"

namespace recloser::testing::matrix {

struct Cell {
  const Situation* situation;
  const Column* column;
  Attach attach;
  Mode mode;

  /// Attempts that Recloser makes.
  int attempts() const {
    const bool acts = mode == Mode::kOn && (situation->ends_locally || Repeats(*column));
    return acts ? situation->attempts : 1;
  }
};

/// All that there are.
std::vector<Cell> Cells();
/// "RetryThenOk_QueueTwoBatch_Decorator_On".
std::string CellName(const Cell& cell);
void PrintTo(const Cell& cell, std::ostream* out);

/// What one call looked like.
struct Sight {
  CallResult result;
  std::optional<std::chrono::system_clock::time_point> deadline;  // as the caller set it
  std::vector<SeenAttempt> seen;                                  // by the service
  std::map<std::string, int> outside;                             // by the interceptor before Recloser's place
  std::map<std::string, int> inside;                              // and by the one behind
};

/// The servers of all cells, and what bare channels do.
class Laboratory {
 public:
  Laboratory();
  ~Laboratory();

  /// What the cell's call looks like. Its registry has the observers already.
  Sight Run(const Cell& cell, const std::shared_ptr<Registry>& registry, const Tally& tally);
  /// The same call on a bare channel to a service that answers as to attempt `attempt`. Made once and remembered.
  const Sight& OnBareChannel(const Situation& situation, const Column& column, int attempt);
  const std::string& target() const { return service_.target(); }

 private:
  struct Order;
  Sight Make(const Order& order);
  void Prepare(const Order& order, CallSpec& spec) const;

  Service service_;
  ParentService parents_;
  /// Keeps the connection, which all channels share, and gRPC's callback threads.
  const std::shared_ptr<grpc::Channel> keeper_;
  std::unique_ptr<demo::v1::Echo::Stub> keepers_stub_;
  std::map<std::tuple<const Situation*, const Column*, int>, Sight> on_bare_channel_;
  std::atomic<int> calls_{0};
};

/// Policies of a cell's channel.
Policies PoliciesOf(const Cell& cell);

}  // namespace recloser::testing::matrix

#endif  // RECLOSER_TEST_GRPC_MATRIX_CELL_H_
