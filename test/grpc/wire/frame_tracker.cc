#include "frame_tracker.h"

namespace recloser::testing {
namespace {

constexpr std::size_t kHeaderSize = 9;
constexpr std::uint8_t kData = 0;
constexpr std::uint8_t kHeaders = 1;
constexpr std::uint8_t kSettings = 4;
constexpr std::uint8_t kEndStream = 1;

}  // namespace

FrameTracker::FrameTracker(Toward toward, const std::optional<Place>& place, int request)
    : wanted_(place && place->toward == toward ? place : std::nullopt),
      stream_(static_cast<std::uint32_t>(2 * request - 1)),
      next_header_(toward == Toward::kServer ? kPrefaceSize : 0) {
  if (wanted_ && wanted_->frame == Place::Frame::kByte) place_at_ = wanted_->byte;
}

void FrameTracker::Feed(const std::string& bytes, std::size_t offset) {
  while (next_header_ + kHeaderSize <= offset + bytes.size()) {
    const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[next_header_ - offset + i]); };
    const std::uint32_t length = at(0) << 16 | at(1) << 8 | at(2);
    const std::uint32_t stream = (at(5) & 0x7fu) << 24 | at(6) << 16 | at(7) << 8 | at(8);
    Look(length, at(3), at(4), stream);
    next_header_ += kHeaderSize + length;
  }
}

void FrameTracker::Look(std::uint32_t length, std::uint8_t type, std::uint8_t flags, std::uint32_t stream) {
  const bool ends = (type == kData || type == kHeaders) && (flags & kEndStream) != 0;
  if (ends) stream_ends_.push_back(next_header_ + kHeaderSize + length);
  if (!wanted_ || place_at_) return;
  bool found = false;
  switch (wanted_->frame) {
    case Place::Frame::kByte:
      return;
    case Place::Frame::kSettings:
      found = type == kSettings;
      break;
    case Place::Frame::kHeaders:
      found = type == kHeaders && stream == stream_;
      break;
    case Place::Frame::kData:
      found = type == kData && stream == stream_;
      break;
    case Place::Frame::kEnd:
      found = ends && stream == stream_;
      break;
  }
  if (!found) return;
  switch (wanted_->where) {
    case Place::Where::kBefore:
      place_at_ = next_header_;
      break;
    case Place::Where::kInside:
      place_at_ = next_header_ + kHeaderSize + length / 2;
      break;
    case Place::Where::kAfter:
      place_at_ = next_header_ + kHeaderSize + length;
      break;
  }
}

}  // namespace recloser::testing
