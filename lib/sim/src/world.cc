#include "world.h"

#include "worth.h"

namespace recloser::sim {
namespace {

constexpr std::uint64_t kEventsPerStopCheck = 4096;

}  // namespace

bool World::Run(const std::function<bool()>& stop) {
  Event event;
  for (std::uint64_t handled = 0; (arriving_ > 0 || open_calls_ > 0) && events_.Pop(&event); ++handled) {
    if (handled % kEventsPerStopCheck == 0 && stop && stop()) return false;
    now_ = event.time;
    Handle(event);
  }
  SampleToTheEnd();
  return true;
}

void World::SampleToTheEnd() {
  Event event;
  while (events_.Pop(&event)) {
    if (event.kind != EventKind::kSample) continue;
    now_ = event.time;
    OnSample();
  }
}

Figures World::figures() {
  std::int64_t violations = 0;
  for (const std::unique_ptr<Caller>& caller : callers_) {
    caller->monitor().OnFinished(now_);
    violations += caller->monitor().violations();
  }
  return account_->Finish(violations);
}

void World::Handle(const Event& event) {
  switch (event.kind) {
    case EventKind::kArrival:
      return OnArrival(event.index);
    case EventKind::kServed:
      return OnServed(event.index, event.serial);
    case EventKind::kAnswer:
      return OnAnswer(event.index, event.serial);
    case EventKind::kDeadline:
      return OnDeadline(event.index, event.serial);
    case EventKind::kRetry:
      return OnRetry(event.index, event.serial);
    case EventKind::kCut:
      return servers_[event.index].Cut(now_, event.index);
    case EventKind::kSample:
      return OnSample();
  }
}

void World::OnArrival(std::uint32_t client) {
  if (const std::optional<Time> next = arrivals_[client].Next()) {
    events_.Push(*next, EventKind::kArrival, client);
  } else {
    --arriving_;
  }
  StartCall(client, SlotId(), account_->Measures(now_));
}

void World::OnServed(std::uint32_t index, std::uint64_t serial) {
  Attempt* const attempt = attempts_.Find(index, serial);
  // The connection was cut meanwhile.
  if (attempt == nullptr || attempt->stage != Attempt::Stage::kServing) return;
  Server& server = servers_[attempt->server];
  server.Served(now_);
  if (attempt->fails || server.service().calls.empty()) {
    server.Answer(now_, index, attempt->code);
  } else {
    CallOthers(index);
  }
}

void World::OnAnswer(std::uint32_t index, std::uint64_t serial) {
  Attempt* const attempt = attempts_.Find(index, serial);
  if (attempt == nullptr) return;
  attempt->held = false;
  if (attempt->awaited) FinishAttempt(index, attempt->code);
  attempts_.Free(index);
}

void World::OnDeadline(std::uint32_t index, std::uint64_t serial) {
  Attempt* const attempt = attempts_.Find(index, serial);
  if (attempt == nullptr || !attempt->awaited) return;
  attempt->excused = attempt->marked = false;
  if (attempt->held) servers_[attempt->server].Abandon(index);
  FinishAttempt(index, absl::StatusCode::kDeadlineExceeded);
  if (!attempt->held) attempts_.Free(index);
}

void World::OnRetry(std::uint32_t index, std::uint64_t serial) {
  Call* const call = calls_.Find(index, serial);
  if (call == nullptr) return;
  const Action action = call->session->OnTimer(now_);
  // The retry fitted into the deadline when it was planned, so it is the breaker that ends the call now.
  if (action.kind == Action::Kind::kDeliver) return EndCall(index, /*rejected=*/true);
  Do(index, action);
}

void World::OnSample() {
  const SharedBreaker* const breaker = callers_.front()->breaker();
  if (breaker != nullptr) {
    const BreakerSnapshot snapshot = breaker->Snapshot(now_);
    account_->OnSample(now_, Worth(0), &snapshot);
  } else {
    account_->OnSample(now_, Worth(0), nullptr);
  }
  const Time next = SaturatingAdd(now_, account_->series().step);
  if (next <= end_) events_.Push(next, EventKind::kSample, 0);
}

void World::StartCall(std::uint32_t caller_number, SlotId parent, bool measured) {
  Caller& caller = *callers_[caller_number];
  const std::uint32_t index = calls_.Take();
  Call& call = calls_.at(index);
  call.session.emplace(caller.method(), CallOverrides(), caller.NextSeed());
  call.started = now_;
  call.caller = caller_number;
  call.parent = parent;
  call.measured = measured;
  call.code = absl::StatusCode::kUnavailable;
  call.excused = call.marked = false;
  ++open_calls_;
  if (measured) account_->OnCallStarted(now_, parent.serial == 0);
  Do(index, call.session->Start(now_, SaturatingAdd(now_, scenario_.calls.deadline)));
}

void World::Do(std::uint32_t index, const Action& action) {
  Call& call = calls_.at(index);
  trace_.Add(now_, TraceHash::Kind::kDecision, call.caller, static_cast<std::uint64_t>(action.kind));
  switch (action.kind) {
    case Action::Kind::kSend:
      return Send(index, action.deadline);
    case Action::Kind::kWait:
      return events_.Push(action.wake, EventKind::kRetry, index, call.serial);
    case Action::Kind::kReject:
      callers_[call.caller]->monitor().OnRejected(now_, action.rejection);
      call.marked = true;
      return EndCall(index, /*rejected=*/true);
    case Action::Kind::kDeliver:
    case Action::Kind::kCancel:
    case Action::Kind::kNone:
      return EndCall(index, /*rejected=*/false);
  }
}

void World::Send(std::uint32_t call_index, Time deadline) {
  Call& call = calls_.at(call_index);
  Caller& caller = *callers_[call.caller];
  const auto service = static_cast<std::size_t>(caller.service());
  caller.monitor().OnAdmitted(now_);
  if (call.measured) account_->OnAttemptStarted(now_);
  const std::uint32_t index = attempts_.Take();
  Attempt& attempt = attempts_.at(index);
  const std::uint64_t serial = attempt.serial;
  attempt = Attempt();
  attempt.serial = serial;
  attempt.call = call_index;
  attempt.server = services_[service].first_server + static_cast<std::uint32_t>(caller.NextEndpoint(scenario_.services[service].endpoints));
  attempt.awaited = true;
  attempt.measured = call.measured;
  if (deadline != kInfiniteFuture) events_.Push(deadline, EventKind::kDeadline, index, serial);
  servers_[attempt.server].Arrive(now_, index);
}

void World::FinishAttempt(std::uint32_t index, absl::StatusCode code) {
  Attempt& attempt = attempts_.at(index);
  attempt.awaited = false;
  const std::uint32_t call_index = attempt.call;
  Call& call = calls_.at(call_index);
  trace_.Add(now_, TraceHash::Kind::kAttemptEnd, call.caller, static_cast<std::uint64_t>(code));
  const bool ok = code == absl::StatusCode::kOk;
  const bool good = ok && Elapsed(call.started, now_) <= scenario_.calls.slo;
  call.code = code;
  call.excused = !ok && attempt.excused;
  call.marked = !ok && attempt.marked;
  if (call.measured && !good && !call.excused) account_->OnAttemptWasted(now_);

  AttemptResult result;
  result.code = code;
  result.has_response = ok;
  result.rejected_by_recloser = call.marked;
  const Action action = call.session->OnAttemptFinished(now_, result);
  callers_[call.caller]->monitor().OnEnded(now_);
  Do(call_index, action);
}

void World::EndCall(std::uint32_t index, bool rejected) {
  Call& call = calls_.at(index);
  if (rejected) call.excused = false;
  if (rejected && call.measured) account_->OnCallRejected(now_, Worth(callers_[call.caller]->service()));
  if (call.measured && call.parent.serial == 0) {
    const bool good = call.code == absl::StatusCode::kOk && Elapsed(call.started, now_) <= scenario_.calls.slo;
    account_->OnClientCallEnded(call.started, now_, good);
  }
  call.session.reset();
  --open_calls_;
  if (call.parent.serial != 0) OnOwnCallEnded(call.parent, call);
  calls_.Free(index);
}

void World::CallOthers(std::uint32_t index) {
  Attempt& attempt = attempts_.at(index);
  const SlotId self{index, attempt.serial};
  const ServiceState& service = services_[service_of_[attempt.server]];
  attempt.stage = Attempt::Stage::kCalling;
  attempt.calls_out = static_cast<int>(service.callers.size());
  for (const std::uint32_t caller : service.callers) StartCall(caller, self, attempt.measured);
}

void World::OnOwnCallEnded(SlotId id, const Call& call) {
  Attempt* const attempt = attempts_.Find(id.index, id.serial);
  if (attempt == nullptr || attempt->stage != Attempt::Stage::kCalling) return;
  --attempt->calls_out;
  const bool ok = call.code == absl::StatusCode::kOk;
  if (ok && attempt->calls_out > 0) return;
  // All are needed: the first failure is the answer.
  Server& server = servers_[attempt->server];
  attempt->excused = !ok && call.excused;
  attempt->marked = call.marked && server.service().forwards_rejections;
  server.Answer(now_, id.index, call.code);
}

double World::Worth(int index) {
  const Service& service = scenario_.services[static_cast<std::size_t>(index)];
  const ServiceState& state = services_[static_cast<std::size_t>(index)];
  const double offered = load_.RateAt(now_) * state.visits / service.endpoints;
  double worth = 0;
  for (int endpoint = 0; endpoint < service.endpoints; ++endpoint) {
    Server& server = servers_[state.first_server + static_cast<std::uint32_t>(endpoint)];
    worth += EndpointWorth(service, server.At(now_), offered, scenario_.calls.slo) / service.endpoints;
  }
  for (const int called : service.calls) worth *= Worth(called);
  return worth;
}

}  // namespace recloser::sim
