// Every situation x every form of gRPC's client API x both ways to attach x policies that act, that never act, and none: docs/matrix.md.
//
// One cell: grpc_matrix_test --gtest_filter='*/RetryThenOk_Reactor_Decorator_On'
#include <memory>

#include "cell.h"
#include "check.h"
#include "gtest/gtest.h"

namespace recloser::testing::matrix {
namespace {

class Matrix : public ::testing::TestWithParam<Cell> {
 protected:
  static void SetUpTestSuite() { laboratory_ = std::make_unique<Laboratory>(); }
  static void TearDownTestSuite() { laboratory_ = nullptr; }

  static std::unique_ptr<Laboratory> laboratory_;
};
std::unique_ptr<Laboratory> Matrix::laboratory_;

INSTANTIATE_TEST_SUITE_P(, Matrix, ::testing::ValuesIn(Cells()), [](const auto& row) { return CellName(row.param); });

TEST_P(Matrix, Cell) {
  const matrix::Cell& cell = GetParam();
  const auto registry = Registry::Create();
  const auto tally = std::make_shared<Tally>();
  registry->AddObserver(tally);
  const Sight sight = laboratory_->Run(cell, registry, *tally);
  CheckObservers(cell, sight, *registry, *tally);
  const Tally::Totals totals = tally->totals();
  // A call that ends before an attempt looks like the first one as far as it goes.
  const int winner = cell.situation->ends_locally ? 1 : cell.attempts();
  const Sight& bare = laboratory_->OnBareChannel(*cell.situation, *cell.column, winner);
  CheckClient(cell, sight, bare, totals, laboratory_->target());
  CheckService(cell, sight, bare, totals);
  CheckOthers(cell, sight, bare);
}

}  // namespace
}  // namespace recloser::testing::matrix
