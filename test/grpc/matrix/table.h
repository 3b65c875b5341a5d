// The matrix as people read it: docs/matrix.md.
#ifndef RECLOSER_TEST_GRPC_MATRIX_TABLE_H_
#define RECLOSER_TEST_GRPC_MATRIX_TABLE_H_

#include <string>

namespace recloser::testing::matrix {

/// The whole document, made of the same tables as the cells.
std::string Document();

}  // namespace recloser::testing::matrix

#endif  // RECLOSER_TEST_GRPC_MATRIX_TABLE_H_
