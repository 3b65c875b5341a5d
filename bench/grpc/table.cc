#include "table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace recloser::bench {

std::string Table::Text() const {
  std::vector<std::size_t> widths(header.size());
  for (std::size_t i = 0; i < header.size(); ++i) {
    widths[i] = header[i].size();
    for (const auto& row : rows) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text = title + "\n";
  const auto add = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      absl::StrAppend(&text, "  ", i == 0 ? row[i] + (row.size() > 1 ? space : "") : space + row[i]);
    }
    text += '\n';
  };
  add(header);
  for (const auto& row : rows) add(row);
  return text;
}

std::string Table::Markdown() const {
  std::string text = absl::StrCat(title, "\n\n| ", absl::StrJoin(header, " | "), " |\n|");
  for (std::size_t i = 0; i < header.size(); ++i) text += i == 0 ? "---|" : "--:|";
  text += '\n';
  for (const auto& row : rows) absl::StrAppend(&text, "| ", absl::StrJoin(row, " | "), " |\n");
  return text;
}

}  // namespace recloser::bench
