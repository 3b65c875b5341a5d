// What protobuf calls differently in its versions, 3.21 and later, found by the compiler and not by a number.
//
// Private to the libraries that parse and print messages; header-only, so that it ties none of them to another.
#ifndef RECLOSER_PROTOBUF_PROTOBUF_VERSIONS_H_
#define RECLOSER_PROTOBUF_PROTOBUF_VERSIONS_H_

#include <google/protobuf/io/tokenizer.h>

#include <string>

#include "absl/strings/string_view.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

namespace protobuf_versions_internal {

// Since protobuf 26.
template <class Options>
auto SetPrintDefaults(Options& options, bool print, int) -> decltype(options.always_print_fields_with_no_presence, void()) {
  options.always_print_fields_with_no_presence = print;
}
// Until 25.
template <class Options>
auto SetPrintDefaults(Options& options, bool print, long) -> decltype(options.always_print_primitive_fields, void()) {
  options.always_print_primitive_fields = print;
}

}  // namespace protobuf_versions_internal

/// Says of JSON's print options whether fields that have their default value are printed.
template <class JsonPrintOptions>
void PrintDefaults(JsonPrintOptions& options, bool print = true) {
  protobuf_versions_internal::SetPrintDefaults(options, print, 0);
}

/// Gets the parser's errors. Lines and columns count from 0.
class ParseErrorCollector : public google::protobuf::io::ErrorCollector {
 public:
  virtual void OnError(int line, int column, absl::string_view message) = 0;

  // Neither says `override`: 3.21 has the first alone, since 26 there is only the second, between them both.
  void AddError(int line, int column, const std::string& message) { OnError(line, column, message); }
  void RecordError(int line, int column, absl::string_view message) { OnError(line, column, message); }
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_PROTOBUF_PROTOBUF_VERSIONS_H_
