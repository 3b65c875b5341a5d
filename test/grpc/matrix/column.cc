#include "column.h"

namespace recloser::testing::matrix {

const std::vector<Column>& Columns() {
  static const auto* const columns = new std::vector<Column>{
      {"Sync", "blocking", Form::kSync},
      {"Queue", "CQ", Form::kQueue},
      {"QueueTwoBatch", "CQ, headers first", Form::kQueueTwoBatch},
      {"Callback", "callback", Form::kCallback},
      {"Reactor", "reactor", Form::kReactor},
      {"Generic", "generic, CQ", Form::kGeneric},
      {"GenericCallback", "generic, callback", Form::kGenericCallback},
      {"GenericReactor", "generic, reactor", Form::kGenericReactor},
      {"SyncClient", "client stream, blocking", std::pair(StreamForm::kSync, Stream::kClient)},
      {"QueueClient", "client stream, CQ", std::pair(StreamForm::kQueue, Stream::kClient)},
      {"CallbackClient", "client stream, reactor", std::pair(StreamForm::kCallback, Stream::kClient)},
      {"SyncServer", "server stream, blocking", std::pair(StreamForm::kSync, Stream::kServer)},
      {"QueueServer", "server stream, CQ", std::pair(StreamForm::kQueue, Stream::kServer)},
      {"CallbackServer", "server stream, reactor", std::pair(StreamForm::kCallback, Stream::kServer)},
      {"SyncBidi", "bidi stream, blocking", std::pair(StreamForm::kSync, Stream::kBidi)},
      {"QueueBidi", "bidi stream, CQ", std::pair(StreamForm::kQueue, Stream::kBidi)},
      {"CallbackBidi", "bidi stream, reactor", std::pair(StreamForm::kCallback, Stream::kBidi)},
  };
  return *columns;
}

CallResult Make(const Column& column, std::shared_ptr<grpc::ChannelInterface> channel, CallSpec spec) {
  if (column.unary()) return Call(std::get<Form>(column.form), std::move(channel), std::move(spec));
  const auto [form, stream] = std::get<1>(column.form);
  return Call(form, stream, std::move(channel), std::move(spec));
}

}  // namespace recloser::testing::matrix
