#include "report.h"

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include "arms.h"

namespace recloser::bench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Cell kCell{Transport::kTcp, Form::kSync, 1, Course::kHealthy};

Measured Some() {
  Measured measured;
  for (const double ratio : {1.1, 1.2, 1.3}) {
    Round round;
    for (const Figure figure : kFigures) {
      round[kBare].Set(figure, 50);
      round[kRecloser].Set(figure, 50 * ratio);
    }
    measured.results.Add(kCell, std::move(round));
  }
  measured.core.operations = {{kClockRead, {20}, {21}}, {kPermitAndRecord, {60}, {66}}};
  measured.core.bytes_per_breaker = 4096;
  measured.instructions = "made up";
  return measured;
}

TEST(Report, ComparesWithTheYardstickRoundByRound) {
  const std::vector<Table> tables = CellTables(Some().results);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_THAT(tables[0].title, AllOf(HasSubstr("tcp, sync, concurrency 1"), HasSubstr("3 rounds")));
  EXPECT_THAT(tables[0].rows, ElementsAre(ElementsAre("bare", "50.0", "50.0", "50.0", "50.0", "50.0"),
                                          ElementsAre("recloser", "1.200 [1.100 1.300]", "1.200 [1.100 1.300]", "1.200 [1.100 1.300]",
                                                      "1.200 [1.100 1.300]", "1.200 [1.100 1.300]")));
}

TEST(Report, BeginsWithTheArmsBesideEachOther) {
  const Table table = SummaryTable(Some().results);
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("recloser", "1.20 / - / -", "- / - / -", "1.20 / - / -", "1.20 / - / -")));
  EXPECT_THAT(SummaryTable(Results()).rows, testing::IsEmpty());
  EXPECT_THAT(Report(Some(), false, false), testing::StartsWith(table.title));
}

TEST(Report, RoundsWithoutTheFigureDoNotCount) {
  Measured measured = Some();
  Round only_instructions;
  only_instructions[kBare].Set(Figure::kInstructions, 10);
  only_instructions[kRecloser].Set(Figure::kInstructions, 12);
  measured.results.Add(kCell, only_instructions);
  EXPECT_EQ(measured.results.Ratios(kCell, kRecloser, kBare, Figure::kLatency).size(), 3u);
  EXPECT_EQ(measured.results.Ratios(kCell, kRecloser, kBare, Figure::kInstructions).size(), 4u);
}

TEST(Report, ShowsBarsOnlyWhenAsked) {
  EXPECT_THAT(Report(Some(), false, false), AllOf(HasSubstr("made up"), HasSubstr("4096"), Not(HasSubstr("MISSED"))));
  EXPECT_THAT(Report(Some(), true, false), AllOf(HasSubstr("MISSED"), HasSubstr("not measured"), HasSubstr("met")));
}

TEST(Report, IsMarkdownWhenAsked) {
  EXPECT_THAT(Report(Some(), false, true),
              AllOf(HasSubstr("| arm | latency p50 |"), HasSubstr("|---|--:|"), HasSubstr("| recloser | 1.200")));
}

TEST(Report, AsJsonHasEachFigure) {
  google::protobuf::Struct json;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(ReportJson(Some()), &json).ok());
  EXPECT_EQ(json.fields().at("cells").list_value().values_size(), 2 * kFigureCount);
  EXPECT_EQ(json.fields().at("bars").list_value().values_size(), 23);
  const auto& last = json.fields().at("cells").list_value().values(2 * kFigureCount - 1).struct_value().fields();
  EXPECT_EQ(last.at("arm").string_value(), "recloser");
  EXPECT_EQ(last.at("ratio").struct_value().fields().at("median").number_value(), 1.2);
}

TEST(Table, LinesItsColumnsUp) {
  const Table table{"title", {"a", "bb"}, {{"long one", "1"}, {"x", "234"}}};
  EXPECT_EQ(table.Text(), "title\n  a          bb\n  long one    1\n  x         234\n");
}

}  // namespace
}  // namespace recloser::bench
