#include "recloser/core/validation.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

/// Names and values come from files: what would break the line is written as C++ writes it.
std::string OneLine(absl::string_view text) {
  std::string line;
  for (const char c : text) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      absl::StrAppendFormat(&line, "\\x%02x", c);
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace

void Validator::InRange(absl::string_view field, double value, double low, double high) {
  const auto number = [](double d) { return absl::StrFormat("%.15g", d); };  // as written: 1000001, not 1e+06
  Require(value >= low && value <= high, field, number(value), absl::StrCat("must be from ", number(low), " to ", number(high)));
}

void Validator::InRange(absl::string_view field, Duration value, Duration low, Duration high) {
  Require(value >= low && value <= high, field, FormatDuration(value),
          absl::StrCat("must be from ", FormatDuration(low), " to ", FormatDuration(high)));
}

void Validator::Require(bool ok, absl::string_view field, absl::string_view value, absl::string_view allowed) {
  if (ok || !status_.ok()) return;
  status_ = absl::InvalidArgumentError(OneLine(absl::StrCat(Path(field), ": ", value, " is not allowed; ", allowed)));
}

void Validator::Nested(const absl::Status& status) { status_.Update(status); }

std::string Validator::Path(absl::string_view field) const { return path_.empty() ? std::string(field) : absl::StrCat(path_, ".", field); }

std::string FormatDuration(Duration d) {
  struct Unit {
    double ns;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  if (d == kForever) return "forever";
  if (d == Duration::zero()) return "0s";
  const double ns = static_cast<double>(d.count());
  for (const Unit& unit : kUnits) {
    if (std::abs(ns) >= unit.ns) return absl::StrFormat("%.6g%s", ns / unit.ns, unit.name);
  }
  return absl::StrFormat("%.6gns", ns);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
