// The matrix's columns: every form of gRPC's client API, unary calls and streams alike.
#ifndef RECLOSER_TEST_GRPC_MATRIX_COLUMN_H_
#define RECLOSER_TEST_GRPC_MATRIX_COLUMN_H_

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "api_forms.h"

namespace recloser::testing::matrix {

struct Column {
  const char* name;   // of tests: "QueueTwoBatch", "SyncServer"
  const char* title;  // of the table: "CQ, headers first"
  std::variant<Form, std::pair<StreamForm, Stream>> form;

  bool unary() const { return std::holds_alternative<Form>(form); }
  /// A unary call or a stream of that kind.
  bool is(Form one) const { return unary() && std::get<Form>(form) == one; }
  bool is(StreamForm one) const { return !unary() && std::get<1>(form).first == one; }
  bool is(Stream one) const { return !unary() && std::get<1>(form).second == one; }
  bool on_a_queue() const { return is(Form::kQueue) || is(Form::kQueueTwoBatch) || is(Form::kGeneric) || is(StreamForm::kQueue); }
  bool with_callbacks() const {
    return is(Form::kCallback) || is(Form::kReactor) || is(Form::kGenericCallback) || is(Form::kGenericReactor) ||
           is(StreamForm::kCallback);
  }
  /// The headers may come before the rest: Recloser makes all attempts of such a call itself where it may be repeated.
  bool in_two_batches() const { return is(Form::kQueueTwoBatch) || is(Form::kReactor) || is(Form::kGenericReactor); }
};

const std::vector<Column>& Columns();

/// Makes the call and waits for its end.
CallResult Make(const Column& column, std::shared_ptr<grpc::ChannelInterface> channel, CallSpec spec);

}  // namespace recloser::testing::matrix

#endif  // RECLOSER_TEST_GRPC_MATRIX_COLUMN_H_
