// Every form of gRPC's client API, behind one function: a test states what happens to a call once and runs it in all of them.
#ifndef RECLOSER_TEST_GRPC_API_FORMS_H_
#define RECLOSER_TEST_GRPC_API_FORMS_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
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
  kGeneric,          // GenericStub with ByteBuffers, CQ: Finish only
  kGenericCallback,  // the same with a callback
  kGenericReactor,
};
inline constexpr Form kAllForms[] = {Form::kSync,    Form::kQueue,   Form::kQueueTwoBatch,   Form::kCallback,
                                     Form::kReactor, Form::kGeneric, Form::kGenericCallback, Form::kGenericReactor};
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
  std::string peer;
  std::chrono::system_clock::time_point deadline;  // the context's, afterwards
};

struct CallSpec {
  std::string payload = "hello";
  const char* method = "Echo";                          // or "Increment"
  std::function<void(grpc::ClientContext&)> prepare;    // before the call is made
  std::function<void(grpc::ClientContext&)> meanwhile;  // while the call is under way; from another thread where this one is needed
  int stream_messages = 3;                              // client and bidi streams: written
  std::unique_ptr<grpc::ClientContext> context;         // to be used; null: a new one
  /// The stub goes as soon as the call has begun, and with it the channel. Not for blocking unary calls.
  bool drop_channel = false;
  /// Completion queues: shut down as soon as all that is left to be returned is under way; of a stream a read and its end.
  bool shut_queue_down = false;
  /// Callbacks: context, request and response are deleted in the last one. `meanwhile` must have ended by then.
  bool delete_in_callback = false;
};
/// What a response holds before its call.
inline constexpr char kUntouched[] = "untouched";

/// Makes one unary call and waits for its end, at most 20 s.
CallResult Call(Form form, std::shared_ptr<grpc::ChannelInterface> channel, CallSpec spec = {});
/// Makes one stream, writes what there is to write, reads to the end.
CallResult Call(StreamForm form, Stream stream, std::shared_ptr<grpc::ChannelInterface> channel, CallSpec spec = {});

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_API_FORMS_H_
