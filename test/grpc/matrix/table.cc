#include "table.h"

#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cell.h"

namespace recloser::testing::matrix {
namespace {

constexpr char kHead[] = R"(# What is tested of every kind of call

Made by the tests (`grpc_matrix_test`, in `test/grpc/matrix`) from the same tables that they run; a test compares this file with them. Do not edit it: `RECLOSER_WRITE_MATRIX=docs/matrix.md
build/dev/test/grpc/matrix/grpc_matrix_test --gtest_filter='MatrixDocument.*'` writes it.

Each cell is one call over a real socket, for each of the policies that it names, and for both ways to attach: `CreateChannel` and interceptor factories.

| sign | policies |
|---|---|
| **A** | active: retries, breaker, and where the row says so deadlines |
| **q** | quiet: everything is on and never has a reason to act |
| **o** | off: `Policies::Off()` |
| 1, 2, ... | this one is not applicable; the reason is below |

Asserted in every cell:

* The client: status, message and details, payload and number of messages, writes that succeeded, headers, trailers, the queue tag's `ok`, the context's deadline and peer are what a
  bare channel gives in the same situation. Where attempts were repeated: what a bare channel gives to whom the service answers as it answered the last attempt, and the trailer `recloser-attempts`. The bare
  call is made, not assumed. With other interceptors, what those before and behind see is the same as without Recloser (policies off).
* The service, of each attempt: the caller's metadata, authority, compression, method, payload, the deadline (caller's, parent's or policy's), and `recloser-previous-attempts` on all but the first.
* The observers: calls and attempts started and finished agree, with each other and with the attempts that the service saw; no permit is left, no invariant broken, no listener failed, no
  problem told.

Settings of every call's context (but for one row): two values of one key, a binary key, an authority, gzip, `wait_for_ready`, a deadline.

)";

// Reasons and their numbers, in the order in which they come up.
class Footnotes {
 public:
  std::string Number(const std::string& reason) {
    std::size_t i = 0;
    while (i < reasons_.size() && reasons_[i] != reason) ++i;
    if (i == reasons_.size()) reasons_.push_back(reason);
    return absl::StrCat(i + 1);
  }
  std::string Text() const {
    std::string text;
    for (std::size_t i = 0; i < reasons_.size(); ++i) absl::StrAppend(&text, i + 1, ". ", reasons_[i], "\n");
    return text;
  }

 private:
  std::vector<std::string> reasons_;
};

std::string Entry(const Situation& situation, const Column& column, Footnotes& footnotes) {
  static constexpr const char* kSigns[] = {"**A**", "q", "o"};
  std::vector<std::string> signs;
  std::set<std::string> reasons;
  for (const Mode mode : kAllModes) {
    const char* const why_not = situation.not_applicable(column, mode);
    if (why_not == nullptr) {
      signs.push_back(kSigns[static_cast<int>(mode)]);
    } else {
      reasons.insert(footnotes.Number(why_not));
    }
  }
  signs.insert(signs.end(), reasons.begin(), reasons.end());
  return absl::StrJoin(signs, " ");
}

// One table for some of the columns.
template <class Wanted>
std::string Table(Wanted wanted, Footnotes& footnotes) {
  std::string head = "| situation |";
  std::string line = "|---|";
  for (const Column& column : Columns()) {
    if (!wanted(column)) continue;
    absl::StrAppend(&head, " ", column.title, " |");
    absl::StrAppend(&line, "---|");
  }
  std::string table = absl::StrCat(head, "\n", line, "\n");
  for (const Situation& situation : Situations()) {
    absl::StrAppend(&table, "| ", situation.title, " |");
    for (const Column& column : Columns()) {
      if (wanted(column)) absl::StrAppend(&table, " ", Entry(situation, column, footnotes), " |");
    }
    absl::StrAppend(&table, "\n");
  }
  return table;
}

}  // namespace

std::string Document() {
  Footnotes footnotes;
  const std::string unary = Table([](const Column& column) { return column.unary(); }, footnotes);
  const std::string streams = Table([](const Column& column) { return !column.unary(); }, footnotes);
  return absl::StrCat(kHead, Cells().size(), " cells, two for each sign.\n\n## Unary calls\n\n", unary, "\n## Streams\n\n", streams,
                      "\n## Not applicable\n\n", footnotes.Text());
}

}  // namespace recloser::testing::matrix
