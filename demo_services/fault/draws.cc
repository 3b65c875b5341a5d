#include "demo_services/fault/draws.h"

#include <cmath>

#include "recloser/config/duration.h"

namespace recloser::demo {
namespace {

double Seconds(const google::protobuf::Duration& d) { return ToSeconds(FromProto(d)); }

/// Uniform in (0, 1]: its logarithm is finite.
double Positive(Random& random) { return 1 - random.Uniform(); }

/// A standard normal number (G. Box, M. Muller, 1958).
double Normal(Random& random) {
  constexpr double kTwoPi = 6.283185307179586;
  const double radius = std::sqrt(-2 * std::log(Positive(random)));
  return radius * std::cos(kTwoPi * random.Uniform());
}

double DrawSeconds(const v1::Distribution& distribution, Random& random) {
  switch (distribution.shape_case()) {
    case v1::Distribution::kFixed:
      return Seconds(distribution.fixed());
    case v1::Distribution::kUniform:
      return random.Uniform(Seconds(distribution.uniform().low()), Seconds(distribution.uniform().high()));
    case v1::Distribution::kLognormal: {
      // exp(mu + sigma z) has the mean exp(mu + sigma^2 / 2).
      const double sigma = distribution.lognormal().sigma();
      return Seconds(distribution.lognormal().mean()) * std::exp(sigma * Normal(random) - sigma * sigma / 2);
    }
    case v1::Distribution::kExponential:
      return -Seconds(distribution.exponential()) * std::log(Positive(random));
    case v1::Distribution::SHAPE_NOT_SET:
      return 0;
  }
  return 0;
}

}  // namespace

Duration Draw(const v1::Distribution& distribution, Random& random) {
  const double multiplier = distribution.multiplier() > 0 ? distribution.multiplier() : 1;
  return FromSeconds(DrawSeconds(distribution, random) * multiplier);
}

Duration DrawJittered(Duration length, double jitter, Random& random) {
  return FromSeconds(ToSeconds(length) * random.Uniform(1 - jitter, 1 + jitter));
}

}  // namespace recloser::demo
