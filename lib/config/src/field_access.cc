#include "field_access.h"

#include <google/protobuf/descriptor.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "recloser/config/duration.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

using ProtoDuration = google::protobuf::Duration;

// google/protobuf/duration.proto: about 10,000 years, and no mixed signs.
bool IsValid(const ProtoDuration& d) {
  constexpr std::int64_t kMaxSeconds = 315'576'000'000;
  constexpr std::int32_t kMaxNanos = 999'999'999;
  const bool one_sign = (d.seconds() >= 0 && d.nanos() >= 0) || (d.seconds() <= 0 && d.nanos() <= 0);
  return one_sign && d.seconds() >= -kMaxSeconds && d.seconds() <= kMaxSeconds && d.nanos() >= -kMaxNanos && d.nanos() <= kMaxNanos;
}

const ProtoDuration& AsDuration(const google::protobuf::Message& message) { return static_cast<const ProtoDuration&>(message); }

}  // namespace

FieldReader::FieldReader(const google::protobuf::Message& message, const char* name, Validator* v)
    : message_(message), field_(message.GetDescriptor()->FindFieldByName(name)), v_(v) {}

bool FieldReader::present() const { return message_.GetReflection()->HasField(message_, field_); }

void FieldReader::Get(bool* value) const { *value = message_.GetReflection()->GetBool(message_, field_); }
void FieldReader::Get(int* value) const { *value = message_.GetReflection()->GetInt32(message_, field_); }
void FieldReader::Get(double* value) const { *value = message_.GetReflection()->GetDouble(message_, field_); }

void FieldReader::Get(Duration* value) const {
  const ProtoDuration& d = AsDuration(message_.GetReflection()->GetMessage(message_, field_));
  v_->Require(IsValid(d), field_->name(), absl::StrCat("{seconds: ", d.seconds(), " nanos: ", d.nanos(), "}"),
              "must be a duration as google/protobuf/duration.proto defines it");
  *value = FromProto(d);
}

void FieldReader::Get(std::optional<Duration>* value) const { Get(&value->emplace()); }

void FieldReader::GetEnum(int* number) const {
  const int found = message_.GetReflection()->GetEnumValue(message_, field_);
  const google::protobuf::EnumDescriptor& type = *field_->enum_type();
  std::string names;
  for (int i = 0; i < type.value_count(); ++i) absl::StrAppend(&names, i == 0 ? "" : ", ", type.value(i)->name());
  v_->Require(type.FindValueByNumber(found) != nullptr, field_->name(), absl::StrCat(found), absl::StrCat("must be one of ", names));
  *number = found;
}

FieldWriter::FieldWriter(google::protobuf::Message* message, const char* name)
    : message_(message), field_(message->GetDescriptor()->FindFieldByName(name)) {}

void FieldWriter::Set(bool value) const { message_->GetReflection()->SetBool(message_, field_, value); }
void FieldWriter::Set(int value) const { message_->GetReflection()->SetInt32(message_, field_, value); }
void FieldWriter::Set(double value) const { message_->GetReflection()->SetDouble(message_, field_, value); }

void FieldWriter::Set(Duration value) const {
  static_cast<ProtoDuration&>(*message_->GetReflection()->MutableMessage(message_, field_)) = ToProto(value);
}

void FieldWriter::Set(const std::optional<Duration>& value) const {
  if (value) Set(*value);
}

void FieldWriter::SetEnum(int number) const { message_->GetReflection()->SetEnumValue(message_, field_, number); }

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
