// The service of a stress run: answers each attempt as its call's plan says, and counts which attempts of which calls reached it.
#ifndef RECLOSER_TEST_STRESS_SERVICE_H_
#define RECLOSER_TEST_STRESS_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plan.h"
#include "recloser/demo/v1/echo.grpc.pb.h"
#include "timers.h"

namespace recloser::stress {

/// The header that says which call an attempt is of.
inline constexpr char kCallHeader[] = "stress-call";
/// Header and trailer of an answer: its `Mark`.
inline constexpr char kMarkKey[] = "stress-mark";

/// Bit n of a call's word: its attempt n has reached the service.
class Arrivals {
 public:
  explicit Arrivals(int calls) : reached_(static_cast<std::size_t>(calls)) {}

  void Add(int id, int attempt);
  std::uint32_t of(int id) const { return reached_[static_cast<std::size_t>(id)].load(); }
  /// Attempts that came twice, or of no call that is known.
  int strays() const { return strays_.load(); }

 private:
  std::vector<std::atomic<std::uint32_t>> reached_;
  std::atomic<int> strays_{0};
};

class Service final : public demo::v1::Echo::CallbackService {
 public:
  /// All must outlive the service.
  Service(const std::vector<CallPlan>& calls, Arrivals& arrivals, Timers& timers);
  ~Service() override { Stop(); }

  const std::string& target() const { return target_; }
  /// Closes the port; attempts in flight end as a killed process would end them. `Start` opens the same port again.
  void Stop();
  void Start();

 private:
  struct Attempt {
    int id = 0;
    int number = 0;
    Reply reply;
  };
  Attempt Arrived(grpc::CallbackServerContext& context);

  grpc::ServerUnaryReactor* Echo(grpc::CallbackServerContext* context, const demo::v1::EchoRequest* request,
                                 demo::v1::EchoResponse* response) override;
  grpc::ServerUnaryReactor* Increment(grpc::CallbackServerContext* context, const demo::v1::EchoRequest* request,
                                      demo::v1::EchoResponse* response) override;
  grpc::ServerWriteReactor<demo::v1::EchoResponse>* ServerStream(grpc::CallbackServerContext* context,
                                                                 const demo::v1::EchoRequest* request) override;
  grpc::ServerReadReactor<demo::v1::EchoRequest>* ClientStream(grpc::CallbackServerContext* context,
                                                               demo::v1::EchoResponse* response) override;
  grpc::ServerBidiReactor<demo::v1::EchoRequest, demo::v1::EchoResponse>* BidiStream(grpc::CallbackServerContext* context) override;

  template <class Base>
  class Answer;
  class UnaryAnswer;
  class WriteAnswer;
  class ReadAnswer;
  class BidiAnswer;

  const std::vector<CallPlan>& calls_;
  Arrivals& arrivals_;
  Timers& timers_;
  std::string target_ = "127.0.0.1:0";
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace recloser::stress

#endif  // RECLOSER_TEST_STRESS_SERVICE_H_
