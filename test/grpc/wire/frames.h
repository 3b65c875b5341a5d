// HTTP/2 frames by hand (RFC 9113, RFC 7541): what no server library would send.
#ifndef RECLOSER_TEST_GRPC_WIRE_FRAMES_H_
#define RECLOSER_TEST_GRPC_WIRE_FRAMES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace recloser::testing {

enum class FrameType : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kRstStream = 3,
  kSettings = 4,
  kPushPromise = 5,
  kPing = 6,
  kGoAway = 7,
  kContinuation = 9,
  kUnknown = 0x42,
};
inline constexpr std::uint8_t kNoFlags = 0;
inline constexpr std::uint8_t kAck = 1;
inline constexpr std::uint8_t kEndStream = 1;
inline constexpr std::uint8_t kEndHeaders = 4;

/// Error codes of RST_STREAM and GOAWAY, by number.
inline constexpr const char* kErrorNames[] = {"NO_ERROR",
                                              "PROTOCOL_ERROR",
                                              "INTERNAL_ERROR",
                                              "FLOW_CONTROL_ERROR",
                                              "SETTINGS_TIMEOUT",
                                              "STREAM_CLOSED",
                                              "FRAME_SIZE_ERROR",
                                              "REFUSED_STREAM",
                                              "CANCEL",
                                              "COMPRESSION_ERROR",
                                              "CONNECT_ERROR",
                                              "ENHANCE_YOUR_CALM",
                                              "INADEQUATE_SECURITY",
                                              "HTTP_1_1_REQUIRED"};
inline constexpr std::uint32_t kNoError = 0;

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string Frame(FrameType type, std::uint8_t flags, std::uint32_t stream, const std::string& payload);
std::string Settings();
/// A block of fields in HPACK, nothing of it indexed or compressed.
std::string FieldBlock(const Fields& fields);
std::string Headers(std::uint32_t stream, const Fields& fields, std::uint8_t flags = kNoFlags);
std::string Data(std::uint32_t stream, const std::string& payload, std::uint8_t flags = kNoFlags);
std::string RstStream(std::uint32_t stream, std::uint32_t error);
std::string GoAway(std::uint32_t last_stream, std::uint32_t error);
/// gRPC's prefix, and `bytes`; `announced`: the length that the prefix says.
std::string Message(const std::string& bytes, std::size_t announced, std::uint8_t compressed = 0);
std::string Message(const std::string& bytes);

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_WIRE_FRAMES_H_
