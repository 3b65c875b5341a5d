#include "event_queue.h"

#include <utility>

namespace recloser::sim {
namespace {

bool Before(const Event& a, const Event& b) { return a.time < b.time || (a.time == b.time && a.sequence < b.sequence); }

}  // namespace

void EventQueue::Lane::Push(const Event& event) {
  if (end_ - first_ == ring_.size()) {
    std::vector<Event> grown(2 * ring_.size());
    for (std::size_t i = first_; i != end_; ++i) grown[i & (grown.size() - 1)] = ring_[i & (ring_.size() - 1)];
    ring_ = std::move(grown);
  }
  ring_[end_++ & (ring_.size() - 1)] = event;
}

void EventQueue::Push(Time time, EventKind kind, std::uint32_t index, std::uint64_t serial) {
  const Event event{time, pushed_++, kind, index, serial};
  const auto lane = static_cast<std::size_t>(kind);
  if (lane < kLanes && (lanes_[lane].empty() || lanes_[lane].back().time <= time)) {
    lanes_[lane].Push(event);
  } else {
    PushHeap(event);
  }
}

bool EventQueue::Pop(Event* event) {
  const Event* first = heap_.empty() ? nullptr : &heap_.front();
  Lane* from = nullptr;
  for (Lane& lane : lanes_) {
    if (lane.empty() || (first != nullptr && Before(*first, lane.front()))) continue;
    first = &lane.front();
    from = &lane;
  }
  if (first == nullptr) return false;
  *event = *first;
  from != nullptr ? from->Pop() : PopHeap();
  return true;
}

bool EventQueue::empty() const {
  for (const Lane& lane : lanes_) {
    if (!lane.empty()) return false;
  }
  return heap_.empty();
}

void EventQueue::PushHeap(const Event& event) {
  std::size_t hole = heap_.size();
  heap_.push_back(event);
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / 2;
    if (!Before(event, heap_[parent])) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = event;
}

void EventQueue::PopHeap() {
  const Event last = heap_.back();
  heap_.pop_back();
  if (heap_.empty()) return;
  std::size_t hole = 0;
  while (true) {
    std::size_t child = 2 * hole + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && Before(heap_[child + 1], heap_[child])) ++child;
    if (!Before(heap_[child], last)) break;
    heap_[hole] = heap_[child];
    hole = child;
  }
  heap_[hole] = last;
}

}  // namespace recloser::sim
