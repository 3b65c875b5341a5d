// Medians and what is known of them. Thread safety: pure functions.
#ifndef RECLOSER_BENCH_GRPC_STATISTICS_H_
#define RECLOSER_BENCH_GRPC_STATISTICS_H_

#include <cstddef>
#include <vector>

namespace recloser::bench {

/// A median and an interval that holds the true one with the confidence asked for.
struct Estimate {
  double median = 0;
  double low = 0;
  double high = 0;
  std::size_t rounds = 0;
};

inline constexpr double kShownConfidence = 0.95;
/// Of bars: they are looked at several times as rounds come in, which a wider interval pays for.
inline constexpr double kBarConfidence = 0.99;

/// 0 of none.
double Median(std::vector<double> values);

/// The interval's ends are order statistics of the values (the sign test's interval: no assumption on their distribution). With too few
/// values for the confidence it is their range.
Estimate EstimateMedian(std::vector<double> values, double confidence);

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_STATISTICS_H_
