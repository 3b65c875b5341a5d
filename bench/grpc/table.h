// A table, as text for a terminal or as Markdown. Thread safety: none.
#ifndef RECLOSER_BENCH_GRPC_TABLE_H_
#define RECLOSER_BENCH_GRPC_TABLE_H_

#include <string>
#include <vector>

namespace recloser::bench {

struct Table {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;

  /// The first column to the left, the others to the right.
  std::string Text() const;
  std::string Markdown() const;
};

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_TABLE_H_
