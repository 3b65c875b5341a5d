// docs/matrix.md says what the tests do. With RECLOSER_WRITE_MATRIX=FILE in the environment it is written there instead.
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "cell.h"
#include "gtest/gtest.h"
#include "table.h"

namespace recloser::testing::matrix {
namespace {

TEST(MatrixDocument, IsWhatTheTablesSay) {
  if (const char* const path = std::getenv("RECLOSER_WRITE_MATRIX")) {
    std::ofstream(path) << Document();
    return;
  }
  std::ifstream file(RECLOSER_MATRIX_DOCUMENT);
  ASSERT_TRUE(file) << RECLOSER_MATRIX_DOCUMENT;
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), Document()) << "make it anew: RECLOSER_WRITE_MATRIX=" << RECLOSER_MATRIX_DOCUMENT;
}

TEST(MatrixDocument, NoCellIsMissingWithoutAReason) {
  std::set<std::string> names;
  for (const Cell& cell : Cells()) names.insert(CellName(cell));
  EXPECT_EQ(names.size(), Cells().size()) << "two cells have one name";
  for (const Situation& situation : Situations()) {
    for (const Column& column : Columns()) {
      for (const Mode mode : kAllModes) {
        const char* const why_not = situation.not_applicable(column, mode);
        EXPECT_TRUE(why_not == nullptr || *why_not != '\0');
        for (const Attach attach : kBothAttachments) {
          const Cell cell{&situation, &column, attach, mode};
          EXPECT_EQ(names.count(CellName(cell)), why_not == nullptr ? 1u : 0u) << CellName(cell);
        }
      }
    }
  }
}

}  // namespace
}  // namespace recloser::testing::matrix
