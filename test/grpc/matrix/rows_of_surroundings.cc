// What stands around a call: the server call that it is a child of, other interceptors.
#include "situation.h"

namespace recloser::testing::matrix {
namespace {

std::vector<Situation> Parents() {
  std::vector<Situation> rows;
  rows.push_back(Row("ParentLives", "child of a server call; fails, then OK", FailThen(1, Ok()), 2));
  rows.back().parent = Parent::kLives;
  rows.back().deadline = std::nullopt;

  rows.push_back(Row("ParentCancelledBefore", "its parent was cancelled before", [](int) { return Silence(); }));
  rows.back().parent = Parent::kCancelledBefore;
  rows.back().timed = true;

  rows.push_back(Row("ParentCancelled", "its parent is cancelled", [](int) { return Silence(); }));
  rows.back().parent = Parent::kCancelled;

  rows.push_back(Row("ParentCancelledInRetry", "its parent is cancelled during a later attempt", FailThen(1, Silence()), 2));
  rows.back().parent = Parent::kCancelled;
  rows.back().not_applicable = OnlyWhereRepeated;

  // Which is first, the deadline that the child inherited or its parent's end, is a race in gRPC.
  rows.push_back(Row("ParentExpires", "its parent's deadline", [](int) { return Silence(); }));
  rows.push_back(Row("ParentExpiresInRetry", "its parent's deadline during a later attempt", FailThen(1, Silence()), 2));
  rows.back().not_applicable = OnlyWhereRepeated;
  for (auto row = rows.end() - 2; row != rows.end(); ++row) {
    row->parent = Parent::kExpires;
    row->deadline = std::nullopt;
    row->codes = {grpc::StatusCode::DEADLINE_EXCEEDED, grpc::StatusCode::CANCELLED};
    row->timed = true;
  }
  return rows;
}

}  // namespace

std::vector<Situation> SurroundingSituations() {
  std::vector<Situation> rows = Parents();
  rows.push_back(Row("OthersOk", "other interceptors before and behind; OK", [](int) { return Ok(); }));
  rows.back().others = Others::kPassing;
  rows.push_back(Row("OthersRetryThenOk", "other interceptors before and behind; fails, then OK", FailThen(1, Ok()), 2));
  rows.back().others = Others::kPassing;
  rows.push_back(Row("OthersCancelled", "other interceptors before and behind; cancelled", [](int) { return Silence(); }));
  rows.back().others = Others::kPassing;
  rows.back().cancel = Cancel::kWaiting;
  rows.push_back(Row("NullFactories", "factories that return null before and behind; fails, then OK", FailThen(1, Ok()), 2));
  rows.back().others = Others::kNull;
  return rows;
}

}  // namespace recloser::testing::matrix
