// The matrix's rows: what can happen to a call, stated once for all forms of the API, ways to attach and policies.
#ifndef RECLOSER_TEST_GRPC_MATRIX_SITUATION_H_
#define RECLOSER_TEST_GRPC_MATRIX_SITUATION_H_

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "column.h"
#include "fixture.h"
#include "scripted_server.h"

namespace recloser::testing::matrix {

/// A deadline for a call that gets no answer. An attempt with nothing in its way reaches the service within.
#ifdef RECLOSER_SANITIZED
inline constexpr milliseconds kShort{200};
#else
inline constexpr milliseconds kShort{40};
#endif

/// The policies of a cell's channel.
enum class Mode {
  kOn,
  kQuiet,  // everything on, and nothing ever happens: no code is retried, the deadlines are far, the breaker needs more calls
  kOff,
};
inline constexpr Mode kAllModes[] = {Mode::kOn, Mode::kQuiet, Mode::kOff};
const char* ModeName(Mode mode);  // "On", ...

/// When the application gives up.
enum class Cancel {
  kNever,
  kBefore,   // before it makes the call
  kWaiting,  // when the service has everything and does not answer attempt `Situation::attempts`
  kBackoff,  // between the attempts
};

/// The server call that the call is a child of.
enum class Parent { kNone, kLives, kCancelledBefore, kCancelled, kExpires };

/// Interceptors of somebody else, before and behind Recloser's place.
enum class Others { kNone, kPassing, kNull };

struct Situation {
  std::string name;   // of tests: "RetryThenOk"
  std::string title;  // of the table: "fails, then succeeds"

  // The service.
  std::function<Reply(int attempt)> answer = [](int) { return Reply(); };

  // The application.
  std::string payload = "hello";
  int stream_messages = 3;    // that the client writes
  bool bare_context = false;  // nothing is set in it
  bool declared_idempotent = true;
  std::optional<milliseconds> deadline = milliseconds(60'000);
  Cancel cancel = Cancel::kNever;
  bool drop_channel = false;
  bool shut_queue_down = false;
  bool delete_in_callback = false;

  // What stands around the call.
  Parent parent = Parent::kNone;
  Others others = Others::kNone;
  bool forced_open = false;
  std::function<void(MethodPolicy&)> policy;  // what is different where policies are on

  // What is to be seen where policies are on; where nothing is repeated there is one attempt.
  int attempts = 1;
  /// Time decides how the call goes: attempts may end before the service sees them, and one more may be needed.
  bool timed = false;
  /// All that the call may end with; empty: what the last attempt ends with on a bare channel.
  std::set<grpc::StatusCode> codes;
  /// Before any attempt: on a bare channel the call would not end so.
  bool ends_locally = false;

  /// Why there is no such cell; null: there is one.
  std::function<const char*(const Column&, Mode)> not_applicable = [](const Column&, Mode) -> const char* { return nullptr; };
};

/// Does Recloser repeat failed calls of this form?
inline bool Repeats(const Column& column) { return column.unary(); }

const std::vector<Situation>& Situations();

// The parts of the table, by what the rows are about.
std::vector<Situation> AnswerSituations();
std::vector<Situation> EndingSituations();
std::vector<Situation> SurroundingSituations();

/// A row, all else as usual.
Situation Row(std::string name, std::string title, std::function<Reply(int)> answer, int attempts = 1);

// Answers, for the rows.
Reply Ok();
Reply Refusal(grpc::StatusCode code, std::string message, std::string details = "");
Reply Silence();
/// UNAVAILABLE for the first `failures` attempts, then `then`.
std::function<Reply(int)> FailThen(int failures, Reply then);

// Reasons why cells are missing, for the rows.
const char* OnlyWhereRepeated(const Column& column, Mode mode);

}  // namespace recloser::testing::matrix

#endif  // RECLOSER_TEST_GRPC_MATRIX_SITUATION_H_
