#include "recloser/config/message_file.h"

#include <google/protobuf/type.pb.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace recloser {
namespace {

// Any message with a string, a number and a list will do.
using google::protobuf::Enum;

std::string Error(absl::string_view text, FileFormat format) {
  Enum message;
  return std::string(ParseMessage(text, format, "policy", &message).message());
}

TEST(ParseMessage, ReadsJsonAndTheTextFormat) {
  Enum json;
  ASSERT_TRUE(ParseMessage(R"({"name": "a", "enumvalue": [{"number": 3}]})", FileFormat::kJson, "policy", &json).ok());
  Enum text;
  ASSERT_TRUE(ParseMessage("name: 'a' enumvalue { number: 3 }", FileFormat::kText, "policy", &text).ok());
  EXPECT_EQ(json.SerializeAsString(), text.SerializeAsString());
  EXPECT_EQ(text.enumvalue(0).number(), 3);
}

TEST(ParseMessage, ReplacesWhatTheMessageHeld) {
  Enum message;
  for (const FileFormat format : {FileFormat::kJson, FileFormat::kText}) {
    message.set_name("before");
    ASSERT_TRUE(ParseMessage(format == FileFormat::kJson ? "{}" : "", format, "policy", &message).ok());
    EXPECT_EQ(message.name(), "");
  }
}

TEST(ParseMessage, RefusesInOneLineThatNamesTheKey) {
  struct Row {
    FileFormat format;
    const char* text;
    const char* part;
  };
  const Row rows[] = {
      {FileFormat::kJson, R"({"nam": "a"})", "nam"},
      {FileFormat::kJson, R"({"name": "a", "syntax": "X"})", "X"},
      {FileFormat::kJson, "", "not a policy"},
      {FileFormat::kJson, "{", "not a policy"},
      {FileFormat::kJson, R"({"name": "a", "name": "b"})", "name: given twice"},
      {FileFormat::kJson, R"({"enumvalue": [{"number": 1, "number": 2}]})", "number: given twice"},
      {FileFormat::kJson, R"({name: "a", "name": "b"})", "name: given twice"},
      {FileFormat::kText, "nam: 'a'", "line 1, column 4"},
      {FileFormat::kText, "name: 'a'\nname: 'b'", "line 2"},
      {FileFormat::kText, "name: '\\377'", "name: not UTF-8"},
      {FileFormat::kText, "enumvalue { name: 'a' } enumvalue { name: '\xC3' }", "enumvalue[1].name: not UTF-8"},
  };
  for (const Row& row : rows) {
    const std::string error = Error(row.text, row.format);
    EXPECT_NE(error.find("not a policy: "), std::string::npos) << row.text << ": " << error;
    EXPECT_NE(error.find(row.part), std::string::npos) << row.text << ": " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << row.text << ": " << error;
  }
}

TEST(ParseMessage, EqualKeysOfDifferentObjectsAndInTextsAreFine) {
  EXPECT_EQ(Error(R"({"enumvalue": [{"number": 1}, {"number": 2}], "name": "\"name\": {"})", FileFormat::kJson), "");
  EXPECT_EQ(Error(R"({enumvalue: [{number: 1}, {number: 2}], name: "name: 1, name: 2"})", FileFormat::kJson), "");
}

TEST(ReadMessageFile, SaysWhichFile) {
  Enum message;
  EXPECT_EQ(ReadMessageFile("policy.yaml", "policy", &message).message(),
            "policy.yaml: a policy's name must end in .json, .txtpb, .textproto or .pbtxt");
  EXPECT_EQ(ReadMessageFile("/nowhere/policy.json", "policy", &message).code(), absl::StatusCode::kNotFound);

  const std::string path = ::testing::TempDir() + "message_file_test.json";
  std::ofstream(path) << R"({"name": 3, "nme": 4})";
  const absl::Status refused = ReadMessageFile(path, "policy", &message);
  EXPECT_EQ(refused.message().substr(0, path.size() + 2), path + ": ");
  std::ofstream(path) << R"({"name": "a"})";
  EXPECT_TRUE(ReadMessageFile(path, "policy", &message).ok());
  EXPECT_EQ(message.name(), "a");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace recloser
