// What metrics cost: per call, per scrape, and in memory.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "clock.h"
#include "recloser/core/call_session.h"
#include "recloser/core/link.h"
#include "recloser/core/policies.h"
#include "recloser/core/registry.h"
#include "recloser/prometheus/exporter.h"

namespace recloser {
namespace {

struct Exported {
  std::shared_ptr<Registry> registry = Registry::Create();
  std::shared_ptr<PrometheusExporter> exporter = PrometheusExporter::Create(registry, &ReadClock);
};

/// All that a healthy call of one attempt records.
void ExporterRecordsCall(benchmark::State& state) {
  static std::shared_ptr<MethodObserver> shared;
  if (state.thread_index() == 0) shared = Exported().exporter->ObserveMethod({"target", "service", "Method"});
  MethodObserver* method = nullptr;
  for (auto _ : state) {
    if (method == nullptr) method = shared.get();  // the other threads see `shared` from here on
    method->OnCallStarted();
    method->OnAttemptStarted(1);
    method->OnAttemptFinished({absl::StatusCode::kOk, Outcome::kSuccess, std::chrono::milliseconds(20), 1});
    method->OnCallFinished({absl::StatusCode::kOk, false, std::chrono::milliseconds(20), 1});
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(ExporterRecordsCall)->Threads(1)->Threads(2)->UseRealTime();

/// A healthy call through the core without and with an exporter.
void ExporterBesideCall(benchmark::State& state, bool exported) {
  static Exported process;
  const std::shared_ptr<Registry> registry = exported ? process.registry : Registry::Create();
  const std::shared_ptr<Link> link = Link::Create("target", Policies::Defaults(), registry);
  const MethodContext& method = *link->Method("/service/Method", {}, ReadClock());
  std::uint64_t seed = 0;
  for (auto _ : state) {
    CallSession session(method, {}, ++seed);
    benchmark::DoNotOptimize(session.Start(ReadClock(), kInfiniteFuture));
    benchmark::DoNotOptimize(session.OnAttemptFinished(ReadClock(), {}));
  }
}
BENCHMARK_CAPTURE(ExporterBesideCall, without, false);
BENCHMARK_CAPTURE(ExporterBesideCall, with, true);

/// As Prometheus counts them: a histogram is a series for each bucket, one for the sum and one for the count.
template <class Families>
std::size_t SeriesOf(const Families& families) {
  std::size_t series = 0;
  for (const auto& family : families) {
    for (const auto& sample : family.metric) series += sample.histogram.bucket.empty() ? 1 : sample.histogram.bucket.size() + 2;
  }
  return series;
}

std::size_t HeapBytes() {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

/// A scrape of `methods` methods, each with its breaker: the time without serialising and sending. Heap: of the method's metrics and of the
/// history of its breaker.
void ExporterScrape(benchmark::State& state) {
  const auto methods = static_cast<std::size_t>(state.range(0));
  Exported process;
  const std::size_t empty = SeriesOf(process.exporter->Collect());
  const std::size_t before = HeapBytes();
  for (std::size_t i = 0; i < methods; ++i) process.exporter->ObserveMethod({"target", "service", absl::StrCat("Method", i)});
  const std::size_t after = HeapBytes();
  const std::shared_ptr<Link> link = Link::Create("target", Policies::Defaults(), process.registry);
  for (std::size_t i = 0; i < methods; ++i) link->Method(absl::StrCat("/service/Method", i), {}, ReadClock());
  std::size_t series = 0;
  for (auto _ : state) {
    const auto families = process.exporter->Collect();
    state.PauseTiming();
    series = SeriesOf(families);
    state.ResumeTiming();
  }
  state.counters["series_per_method"] = static_cast<double>(series - empty) / static_cast<double>(methods);
  state.counters["heap_bytes_per_method"] = static_cast<double>(after - before) / static_cast<double>(methods);
}
BENCHMARK(ExporterScrape)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace recloser
