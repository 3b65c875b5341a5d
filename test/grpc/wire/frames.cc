#include "frames.h"

namespace recloser::testing {
namespace {

std::string Number(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  return out;
}

// RFC 7541, 5.1 and 5.2: a length with a 7-bit prefix, then the bytes as they are.
std::string Literal(const std::string& text) {
  std::string out;
  std::size_t rest = text.size();
  if (rest < 127) {
    out.push_back(static_cast<char>(rest));
  } else {
    out.push_back(127);
    for (rest -= 127; rest >= 128; rest /= 128) out.push_back(static_cast<char>(rest % 128 + 128));
    out.push_back(static_cast<char>(rest));
  }
  return out + text;
}

}  // namespace

std::string Frame(FrameType type, std::uint8_t flags, std::uint32_t stream, const std::string& payload) {
  return Number(payload.size(), 3) + Number(static_cast<std::uint8_t>(type), 1) + Number(flags, 1) + Number(stream, 4) + payload;
}

std::string Settings() { return Frame(FrameType::kSettings, kNoFlags, 0, ""); }

std::string FieldBlock(const Fields& fields) {
  std::string block;
  for (const auto& [name, value] : fields) block += '\0' + Literal(name) + Literal(value);
  return block;
}

std::string Headers(std::uint32_t stream, const Fields& fields, std::uint8_t flags) {
  return Frame(FrameType::kHeaders, kEndHeaders | flags, stream, FieldBlock(fields));
}

std::string Data(std::uint32_t stream, const std::string& payload, std::uint8_t flags) {
  return Frame(FrameType::kData, flags, stream, payload);
}

std::string RstStream(std::uint32_t stream, std::uint32_t error) {
  return Frame(FrameType::kRstStream, kNoFlags, stream, Number(error, 4));
}

std::string GoAway(std::uint32_t last_stream, std::uint32_t error) {
  return Frame(FrameType::kGoAway, kNoFlags, 0, Number(last_stream, 4) + Number(error, 4));
}

std::string Message(const std::string& bytes, std::size_t announced, std::uint8_t compressed) {
  return Number(compressed, 1) + Number(announced, 4) + bytes;
}

std::string Message(const std::string& bytes) { return Message(bytes, bytes.size()); }

}  // namespace recloser::testing
