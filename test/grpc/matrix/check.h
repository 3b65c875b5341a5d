// What is asserted of every cell, on all three sides.
#ifndef RECLOSER_TEST_GRPC_MATRIX_CHECK_H_
#define RECLOSER_TEST_GRPC_MATRIX_CHECK_H_

#include "cell.h"

namespace recloser::testing::matrix {

/// The client got what a bare channel would have got from the last attempt (`bare`), and nothing shows that there were others but the
/// trailer that says so.
void CheckClient(const Cell& cell, const Sight& sight, const Sight& bare, const Tally::Totals& totals, const std::string& target);

/// The service saw in each attempt what it sees in a bare channel's call.
void CheckService(const Cell& cell, const Sight& sight, const Sight& bare, const Tally::Totals& totals);

/// Whatever happened was told to the end, agrees with what the service saw, and nothing is left over.
void CheckObservers(const Cell& cell, const Sight& sight, const Registry& registry, const Tally& tally);

/// Others' interceptors saw what they see without Recloser; those behind it, in each attempt.
void CheckOthers(const Cell& cell, const Sight& sight, const Sight& bare);

}  // namespace recloser::testing::matrix

#endif  // RECLOSER_TEST_GRPC_MATRIX_CHECK_H_
