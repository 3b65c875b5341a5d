// Finds places in the bytes of an HTTP/2 connection (RFC 9113) as they pass, by the frames' headers alone.
#ifndef RECLOSER_TEST_GRPC_WIRE_FRAME_TRACKER_H_
#define RECLOSER_TEST_GRPC_WIRE_FRAME_TRACKER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace recloser::testing {

enum class Toward { kServer, kClient };  // where bytes travel to
inline constexpr std::size_t kPrefaceSize = 24;

/// A place in the bytes of one connection.
struct Place {
  enum class Frame {
    kByte,      // no frame: `byte` bytes have passed
    kSettings,  // the first one
    kHeaders,   // the first one of the request's stream
    kData,
    kEnd,  // the one that ends the stream: a request's last, a response's trailers
  };
  enum class Where { kBefore, kInside, kAfter };

  Toward toward = Toward::kServer;
  Frame frame = Frame::kByte;
  Where where = Where::kBefore;
  std::size_t byte = 0;
};

/// Of one direction of one connection, and the place of its `request`th request (1: the first).
class FrameTracker {
 public:
  FrameTracker(Toward toward, const std::optional<Place>& place, int request);

  /// What has come, from `offset` of the direction on. False: it is no HTTP/2.
  void Feed(const std::string& bytes, std::size_t offset);
  /// All before it may pass: the frames that it belongs to are known.
  std::size_t known() const { return next_header_; }
  /// Where the place is, once it is known.
  const std::optional<std::size_t>& place() const { return place_at_; }
  /// Ends of the frames that end a stream.
  const std::vector<std::size_t>& stream_ends() const { return stream_ends_; }

 private:
  void Look(std::uint32_t length, std::uint8_t type, std::uint8_t flags, std::uint32_t stream);

  const std::optional<Place> wanted_;  // in this direction
  const std::uint32_t stream_;
  std::size_t next_header_;
  std::optional<std::size_t> place_at_;
  std::vector<std::size_t> stream_ends_;
};

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_WIRE_FRAME_TRACKER_H_
