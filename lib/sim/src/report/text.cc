#include "report/text.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace recloser::sim::report {
namespace {

std::string Grouped(double value) {
  std::string digits = absl::StrFormat("%.0f", std::abs(value));
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<std::size_t>(i), ",");
  return value < 0 ? absl::StrCat("-", digits) : digits;
}

}  // namespace

std::string Escape(absl::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        // Other control characters are not allowed in HTML, escaped or not.
        escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return escaped;
}

std::string Number(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  if (size < 0.0005) return "0";
  if (size < 1) return absl::StrFormat("%.3f", value);
  if (size < 10) return absl::StrFormat("%.2f", value);
  if (size < 100) return absl::StrFormat("%.1f", value);
  return Grouped(value);
}

std::string TickLabel(double value) {
  const double size = std::abs(value);
  if (size >= 1e6) return absl::StrFormat("%gM", value / 1e6);
  if (size >= 1e4) return absl::StrFormat("%gk", value / 1e3);
  return absl::StrFormat("%g", value);
}

}  // namespace recloser::sim::report
