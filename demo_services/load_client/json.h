// Messages as JSON, with the fields' own names and every field shown.
#ifndef RECLOSER_DEMO_SERVICES_LOAD_CLIENT_JSON_H_
#define RECLOSER_DEMO_SERVICES_LOAD_CLIENT_JSON_H_

#include <google/protobuf/message.h>

#include <string>

namespace recloser::demo {

std::string ToJsonLine(const google::protobuf::Message& message);
/// Indented. False when the file can't be written.
bool WriteJsonFile(const std::string& path, const google::protobuf::Message& message);
/// False when `json` is not such a message.
bool FromJson(const std::string& json, google::protobuf::Message* message);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_LOAD_CLIENT_JSON_H_
