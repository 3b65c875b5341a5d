// Errors that name the field: the building blocks of every `Validate()`.
//
//   Validator v("policies.defaults.retry");
//   v.InRange("max_attempts", options.max_attempts, 1, 100);
//   return v.status();   // INVALID_ARGUMENT: policies.defaults.retry.max_attempts: 0 is not allowed; must be from 1 to 100
//
// The first error wins. Thread safety: none.
#ifndef RECLOSER_CORE_VALIDATION_H_
#define RECLOSER_CORE_VALIDATION_H_

#include <cmath>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "recloser/core/export.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

class Validator {
 public:
  /// `path`: the place of the validated struct, prefixed to every field's name; may be empty.
  explicit Validator(absl::string_view path) : path_(path) {}

  /// `low <= value <= high`, and not NaN.
  void InRange(absl::string_view field, double value, double low, double high);
  /// `low <= value <= high`; printed with units.
  void InRange(absl::string_view field, Duration value, Duration low, Duration high);
  /// Fails with "<path>.<field>: <value> is not allowed; <allowed>", in one line, unless `ok`.
  void Require(bool ok, absl::string_view field, absl::string_view value, absl::string_view allowed);
  /// Takes over the error of a nested `Validate(path)`.
  void Nested(const absl::Status& status);
  /// "<path>.<field>", for nested validation.
  std::string Path(absl::string_view field) const;

  const absl::Status& status() const { return status_; }

 private:
  std::string path_;
  absl::Status status_;
};

/// "250ms", "1.5s", "20us", "forever": for messages and logs.
std::string FormatDuration(Duration d);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_VALIDATION_H_
