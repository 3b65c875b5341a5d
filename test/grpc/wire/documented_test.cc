// docs/wire-faults.md shows the tables that the tests here go through.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "judge.h"
#include "recloser/core/outcome.h"

namespace recloser::testing {
namespace {

std::string Status(grpc::StatusCode code) {
  const auto name = std::string(CodeName(static_cast<absl::StatusCode>(code)));
  return name == "OTHER" ? std::to_string(code) : name;
}

std::string Repeated(const FaultRow& row) {
  if (row.code == grpc::StatusCode::OK) return "";
  return row.retried ? "yes" : "no";
}

std::string Table(const std::vector<FaultRow>& rows) {
  std::ostringstream table;
  table << "| fault | status of the attempt | repeated | counts as |\n|---|---|---|---|\n";
  std::map<std::string, std::string> lines;
  for (const FaultRow& row : rows) {
    const std::string& name = row.document_as.empty() ? row.fault : row.document_as;
    std::ostringstream line;
    line << "| " << name << " | " << Status(row.code) << " | " << Repeated(row) << " | " << OutcomeName(row.outcome) << " |\n";
    const auto [it, is_new] = lines.emplace(name, line.str());
    if (is_new) table << line.str();
    EXPECT_EQ(it->second, line.str()) << "rows of one name in the document must say the same";
  }
  return table.str();
}

TEST(WireFaults, AreDocumentedAsTheyAreTested) {
#ifdef RECLOSER_SANITIZED
  GTEST_SKIP() << "one of the rows is not for sanitizers";
#endif
  std::ifstream file(RECLOSER_WIRE_FAULTS_DOCUMENT);
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  for (const auto& [name, rows] :
       {std::pair("connections", ConnectionFaults()), std::pair("errors", StreamErrors()), std::pair("responses", BadResponses()),
        std::pair("nginx", GatewayAnswers()), std::pair("tls", TlsFaults())}) {
    const std::string expected = "<!-- table: " + std::string(name) + " -->\n" + Table(rows) + "<!-- end -->\n";
    EXPECT_NE(document.find(expected), std::string::npos) << RECLOSER_WIRE_FAULTS_DOCUMENT << " lacks\n" << expected;
  }
}

}  // namespace
}  // namespace recloser::testing
