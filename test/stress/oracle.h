// What a call may have come to, given its plan, its epoch, and which of its attempts reached the service.
#ifndef RECLOSER_TEST_STRESS_ORACLE_H_
#define RECLOSER_TEST_STRESS_ORACLE_H_

#include <cstdint>
#include <string>

#include "outcome.h"
#include "plan.h"

namespace recloser::stress {

/// Why an attempt of the call may have ended before or without the service's word; none: every attempt reached the service, whose word on
/// the last one is what the application got.
struct Excuses {
  bool cancelled = false;   // by the application, or the stream was dropped
  bool timed = false;       // it has a deadline, or its attempts have
  bool connection = false;  // the service dies at times
  bool any() const { return cancelled || timed || connection; }
};
Excuses ExcusesOf(const EpochPlan& epoch, const CallPlan& plan, const CallOutcome& outcome);

/// The attempts that the call takes when nothing but its plan and its policy decides; 0 when more does.
int ExactAttempts(const EpochPlan& epoch, const CallPlan& plan, const Excuses& excuses);

/// What is wrong with the call, in one line; "" when nothing is. `reached`: bit n for attempt n.
std::string Judge(const EpochPlan& epoch, int id, const CallPlan& plan, const CallOutcome& outcome, std::uint32_t reached);

}  // namespace recloser::stress

#endif  // RECLOSER_TEST_STRESS_ORACLE_H_
