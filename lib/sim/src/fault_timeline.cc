#include "fault_timeline.h"

#include <algorithm>

namespace recloser::sim {
namespace {

Duration DrawUpTo(Duration most, Random* random) { return FromSeconds(random->Uniform() * ToSeconds(most)); }

Duration DrawPeriod(Duration length, double jitter, Random* random) {
  return FromSeconds(ToSeconds(length) * random->Uniform(1 - jitter, 1 + jitter));
}

bool Hits(const Fault& fault, int endpoint) {
  return fault.endpoints.empty() || std::find(fault.endpoints.begin(), fault.endpoints.end(), endpoint) != fault.endpoints.end();
}

bool IsRamp(const FaultInterval& interval) {
  return interval.kind == Fault::Kind::kCapacity && interval.fault->capacity_start != interval.fault->capacity_end;
}

void ApplyCapacity(const Fault& fault, double share, Conditions* conditions) {
  if (fault.capacity_scales_workers) {
    conditions->workers_share *= share;
  } else {
    conditions->slow_factor /= share;
  }
}

void ApplyRamp(const FaultInterval& ramp, Time now, Conditions* conditions) {
  const double done = std::min(1.0, ToSeconds(Elapsed(ramp.begin, now)) / ToSeconds(Elapsed(ramp.begin, ramp.end)));
  const Fault& fault = *ramp.fault;
  ApplyCapacity(fault, fault.capacity_start + done * (fault.capacity_end - fault.capacity_start), conditions);
}

void Apply(const FaultInterval& interval, Conditions* conditions) {
  const Fault& fault = *interval.fault;
  switch (interval.kind) {
    case Fault::Kind::kRefused:
      conditions->refused = true;
      break;
    case Fault::Kind::kBlackhole:
      conditions->blackhole = true;
      break;
    case Fault::Kind::kSlow:
      conditions->slow_factor *= fault.slow_factor;
      break;
    case Fault::Kind::kErrors:
      conditions->error_share = 1 - (1 - conditions->error_share) * (1 - fault.error_share);
      conditions->error_code = fault.error_code;
      break;
    case Fault::Kind::kCapacity:
      ApplyCapacity(fault, fault.capacity_start, conditions);
      break;
    case Fault::Kind::kDelay:
      conditions->delay = SaturatingAdd(conditions->delay, fault.delay);
      break;
    case Fault::Kind::kFlapping:  // drawn as refused or blackhole
      break;
  }
}

}  // namespace

std::vector<FaultInterval> DrawIntervals(const std::vector<Fault>& faults, Time origin, Random* random) {
  std::vector<FaultInterval> intervals;
  Time previous_end = origin;
  for (const Fault& fault : faults) {
    Time at = fault.at.has_value() ? SaturatingAdd(origin, *fault.at) : previous_end;
    at = SaturatingAdd(at, DrawUpTo(fault.start_jitter, random));
    if (fault.kind == Fault::Kind::kFlapping) {
      const Fault::Kind down = fault.down_is_blackhole ? Fault::Kind::kBlackhole : Fault::Kind::kRefused;
      for (int i = 0; i < fault.cycles; ++i) {
        previous_end = SaturatingAdd(at, DrawPeriod(fault.down, fault.jitter, random));
        intervals.push_back({at, previous_end, down, &fault});
        at = SaturatingAdd(previous_end, DrawPeriod(fault.up, fault.jitter, random));
      }
      intervals.back().end = previous_end = SaturatingAdd(previous_end, DrawUpTo(fault.end_jitter, random));
    } else {
      previous_end = SaturatingAdd(SaturatingAdd(at, fault.length), DrawUpTo(fault.end_jitter, random));
      intervals.push_back({at, previous_end, fault.kind, &fault});
    }
  }
  return intervals;
}

std::optional<FaultSpan> SpanOf(const std::vector<FaultInterval>& intervals) {
  std::optional<FaultSpan> span;
  for (const FaultInterval& interval : intervals) {
    if (interval.fault->recovery) continue;
    if (!span.has_value()) span = FaultSpan{interval.begin, interval.end};
    span->begin = std::min(span->begin, interval.begin);
    span->end = std::max(span->end, interval.end);
  }
  return span;
}

FaultTimeline::FaultTimeline(const std::vector<FaultInterval>& intervals, int endpoint, double background_errors) {
  std::vector<Time> edges = {Time::min()};
  for (const FaultInterval& interval : intervals) {
    if (!Hits(*interval.fault, endpoint)) continue;
    edges.push_back(interval.begin);
    edges.push_back(interval.end);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (const Time edge : edges) {
    Piece piece;
    piece.begin = edge;
    piece.conditions.error_share = background_errors;
    for (const FaultInterval& interval : intervals) {
      if (!Hits(*interval.fault, endpoint) || edge < interval.begin || edge >= interval.end) continue;
      IsRamp(interval) ? piece.ramps.push_back(interval) : Apply(interval, &piece.conditions);
    }
    pieces_.push_back(std::move(piece));
  }
}

const Conditions& FaultTimeline::At(Time now) {
  while (current_ + 1 < pieces_.size() && pieces_[current_ + 1].begin <= now) ++current_;
  const Piece& piece = pieces_[current_];
  if (piece.ramps.empty()) return piece.conditions;
  ramped_ = piece.conditions;
  for (const FaultInterval& ramp : piece.ramps) ApplyRamp(ramp, now, &ramped_);
  return ramped_;
}

std::vector<Time> FaultTimeline::Cuts() const {
  std::vector<Time> cuts;
  for (std::size_t i = 1; i < pieces_.size(); ++i) {
    if (pieces_[i].conditions.refused && !pieces_[i - 1].conditions.refused) cuts.push_back(pieces_[i].begin);
  }
  return cuts;
}

std::vector<Time> FaultTimeline::Edges() const {
  std::vector<Time> edges;
  for (const Piece& piece : pieces_) edges.push_back(piece.begin);
  return edges;
}

}  // namespace recloser::sim
