// What one block of calls is made with, beside its arm: the table's dimensions.
#ifndef RECLOSER_BENCH_GRPC_CELL_H_
#define RECLOSER_BENCH_GRPC_CELL_H_

#include <string>
#include <tuple>

namespace recloser::bench {

enum class Transport { kTcp, kUnix, kInProcess };
enum class Form { kSync, kQueue, kCallback };
/// How calls go: answered at once; failed once and then answered; rejected by an open breaker.
enum class Course { kHealthy, kRecovered, kRejected };

inline constexpr Transport kTransports[] = {Transport::kTcp, Transport::kUnix, Transport::kInProcess};
inline constexpr Form kForms[] = {Form::kSync, Form::kQueue, Form::kCallback};
inline constexpr int kConcurrencies[] = {1, 16};
inline constexpr int kMaxConcurrency = 16;

const char* Name(Transport transport);  // "tcp", "unix", "inproc"
const char* Name(Form form);            // "sync", "cq", "callback"
const char* Name(Course course);        // "healthy", "recovered", "rejected"

struct Cell {
  Transport transport = Transport::kTcp;
  Form form = Form::kSync;
  int concurrency = 1;
  Course course = Course::kHealthy;

  /// "tcp, sync, concurrency 1".
  std::string name() const;
  friend bool operator<(const Cell& a, const Cell& b) {
    return std::tie(a.course, a.transport, a.concurrency, a.form) < std::tie(b.course, b.transport, b.concurrency, b.form);
  }
  friend bool operator==(const Cell& a, const Cell& b) { return !(a < b) && !(b < a); }
};

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_CELL_H_
