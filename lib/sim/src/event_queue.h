// The events to come, in the order of their time; those of one time in the order in which they were pushed.
//
// Most events of a simulation come a constant time after the event that makes them (deadlines, answers on the way), so they are pushed in
// order: each such kind has a lane of its own, a ring where push and pop cost nothing. What comes out of order in a lane, and everything
// else, goes to a binary heap, which therefore stays as small as the number of workers. Events are values: nothing is allocated once the
// rings have grown.
//
// Cancelling is lazy: an event names its subject by index and serial number, and whoever handles it ignores a serial that has passed.
// Thread safety: none.
#ifndef RECLOSER_SIM_SRC_EVENT_QUEUE_H_
#define RECLOSER_SIM_SRC_EVENT_QUEUE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "recloser/core/time.h"

namespace recloser::sim {

enum class EventKind : std::uint8_t {
  kDeadline,  // of an attempt
  kAnswer,    // of an attempt reaches its caller
  kArrival,   // of a client's call
  kServed,    // a worker is done with an attempt
  kRetry,     // a call's back-off is over
  kCut,       // a server's connections are cut
  kSample,    // of the time series
};

struct Event {
  Time time{};
  std::uint64_t sequence = 0;
  EventKind kind{};
  std::uint32_t index = 0;
  std::uint64_t serial = 0;
};

class EventQueue {
 public:
  void Push(Time time, EventKind kind, std::uint32_t index, std::uint64_t serial = 0);
  /// False when there is none.
  bool Pop(Event* event);
  bool empty() const;

 private:
  /// The first two kinds.
  static constexpr std::size_t kLanes = 2;

  class Lane {
   public:
    bool empty() const { return first_ == end_; }
    const Event& front() const { return ring_[first_ & (ring_.size() - 1)]; }
    const Event& back() const { return ring_[(end_ - 1) & (ring_.size() - 1)]; }
    void Push(const Event& event);
    void Pop() { ++first_; }

   private:
    std::vector<Event> ring_ = std::vector<Event>(64);  // a power of two
    std::size_t first_ = 0;
    std::size_t end_ = 0;
  };

  void PushHeap(const Event& event);
  void PopHeap();

  std::array<Lane, kLanes> lanes_;
  std::vector<Event> heap_;
  std::uint64_t pushed_ = 0;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_EVENT_QUEUE_H_
