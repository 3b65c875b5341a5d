#include "cell.h"

#include "absl/strings/str_cat.h"

namespace recloser::bench {

const char* Name(Transport transport) {
  switch (transport) {
    case Transport::kTcp:
      return "tcp";
    case Transport::kUnix:
      return "unix";
    case Transport::kInProcess:
      return "inproc";
  }
  return "";
}

const char* Name(Form form) {
  switch (form) {
    case Form::kSync:
      return "sync";
    case Form::kQueue:
      return "cq";
    case Form::kCallback:
      return "callback";
  }
  return "";
}

const char* Name(Course course) {
  switch (course) {
    case Course::kHealthy:
      return "healthy";
    case Course::kRecovered:
      return "recovered";
    case Course::kRejected:
      return "rejected";
  }
  return "";
}

std::string Cell::name() const {
  const std::string plain = absl::StrCat(Name(transport), ", ", Name(form), ", concurrency ", concurrency);
  return course == Course::kHealthy ? plain : absl::StrCat(plain, ", ", Name(course));
}

}  // namespace recloser::bench
