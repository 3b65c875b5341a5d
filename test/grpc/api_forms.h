// Every form of gRPC's client API, behind one function: a test states what happens to a call once and runs it in all of them.
#ifndef RECLOSER_TEST_GRPC_API_FORMS_H_
#define RECLOSER_TEST_GRPC_API_FORMS_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "recloser/demo/v1/echo.grpc.pb.h"

namespace recloser::testing {

enum class Form {
  kSync,
  kQueue,          // CQ: Finish only
  kQueueTwoBatch,  // CQ: ReadInitialMetadata, then Finish
  kCallback,
  kReactor,
  kGeneric,  // GenericStub with ByteBuffers
};
inline constexpr Form kAllForms[] = {Form::kSync, Form::kQueue, Form::kQueueTwoBatch, Form::kCallback, Form::kReactor, Form::kGeneric};
const char* FormName(Form form);
std::ostream& operator<<(std::ostream& out, Form form);

enum class Stream { kClient, kServer, kBidi };
enum class StreamForm { kSync, kQueue, kCallback };
inline constexpr Stream kAllStreams[] = {Stream::kClient, Stream::kServer, Stream::kBidi};
inline constexpr StreamForm kAllStreamForms[] = {StreamForm::kSync, StreamForm::kQueue, StreamForm::kCallback};
const char* StreamName(Stream stream);
const char* StreamFormName(StreamForm form);

/// How the call ended, as the application sees it.
struct CallResult {
  grpc::Status status;
  std::string payload;  // of the last message
  int messages = 0;     // received; for a unary call 1 with OK
  int written = 0;      // client and bidi streams: writes that succeeded
  bool tag_ok = true;   // the completion queue's word on the final operation
  std::multimap<std::string, std::string> headers;
  std::multimap<std::string, std::string> trailers;
};

struct CallSpec {
  std::string payload = "hello";
  const char* method = "Echo";                          // or "Increment"
  std::function<void(grpc::ClientContext&)> prepare;    // before the call is made
  std::function<void(grpc::ClientContext&)> meanwhile;  // while the call is under way; from another thread where this one is needed
  int stream_messages = 3;                              // client and bidi streams: written
  std::unique_ptr<grpc::ClientContext> context;         // to be used; null: a new one
};

/// Makes one unary call and waits for its end, at most 20 s.
CallResult Call(Form form, const std::shared_ptr<grpc::ChannelInterface>& channel, CallSpec spec = {});
/// Makes one stream, writes what there is to write, reads to the end.
CallResult Call(StreamForm form, Stream stream, const std::shared_ptr<grpc::ChannelInterface>& channel, CallSpec spec = {});

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_API_FORMS_H_
