#include "pinned_math.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace recloser::sim {
namespace {

constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;
constexpr int kMantissaBits = 52;
constexpr int kExponentBias = 1023;

std::uint64_t Bits(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

double FromBits(std::uint64_t bits) {
  double x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

template <int n>
double Polynomial(const double (&coefficients)[n], double x) {
  double sum = coefficients[n - 1];
  for (int i = n - 2; i >= 0; --i) sum = sum * x + coefficients[i];
  return sum;
}

}  // namespace

// The argument reductions and minimax polynomials of FreeBSD's msun (e_log.c, e_exp.c; Sun Microsystems, 1993).
double Log(double x) {
  constexpr double kLg[] = {6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
                            1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01};
  // x = 2^k * m with m in [sqrt(1/2), sqrt(2)).
  std::uint64_t bits = Bits(x);
  int k = static_cast<int>(bits >> kMantissaBits) - kExponentBias;
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << kMantissaBits) - 1;
  double m = FromBits((bits & kMantissa) | (static_cast<std::uint64_t>(kExponentBias) << kMantissaBits));
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++k;
  }
  const double f = m - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  const double r = z * Polynomial(kLg, z);
  const double half_square = 0.5 * f * f;
  const double dk = k;
  return dk * kLn2High - ((half_square - (s * (half_square + r) + dk * kLn2Low)) - f);
}

double Exp(double x) {
  constexpr double kP[] = {1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05, -1.65339022054652515390e-06,
                           4.13813679705723846039e-08};
  constexpr double kInverseLn2 = 1.44269504088896338700e+00;
  constexpr double kLimit = 700;
  if (x < -kLimit) return 0;
  x = std::min(x, kLimit);
  const int k = static_cast<int>(x * kInverseLn2 + (x < 0 ? -0.5 : 0.5));
  const double high = x - k * kLn2High;
  const double low = k * kLn2Low;
  const double r = high - low;
  const double t = r * r;
  const double c = r - t * Polynomial(kP, t);
  const double y = 1 - ((low - (r * c) / (2 - c)) - high);
  return y * FromBits(static_cast<std::uint64_t>(k + kExponentBias) << kMantissaBits);
}

// M. J. Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied Statistics 37(3), 1988: PPND16.
double InverseNormal(double p) {
  constexpr double kA[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
                           4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr double kB[] = {1,
                           4.2313330701600911252e+1,
                           6.8718700749205790830e+2,
                           5.3941960214247511077e+3,
                           2.1213794301586595867e+4,
                           3.9307895800092710610e+4,
                           2.8729085735721942674e+4,
                           5.2264952788528545610e+3};
  constexpr double kC[] = {1.42343711074968357734e0, 4.63033784615654529590e0,  5.76949722146069140550e0,  3.64784832476320460504e0,
                           1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double kD[] = {1,
                           2.05319162663775882187e0,
                           1.67638483018380384940e0,
                           6.89767334985100004550e-1,
                           1.48103976427480074590e-1,
                           1.51986665636164571966e-2,
                           5.47593808499534494600e-4,
                           1.05075007164441684324e-9};
  constexpr double kE[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,  2.96560571828504891230e-1,
                           2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double kF[] = {1,
                           5.99832206555887937690e-1,
                           1.36929880922735805310e-1,
                           1.48753612908506148525e-2,
                           7.86869131745613259100e-4,
                           1.84631831751005468180e-5,
                           1.42151175831644588870e-7,
                           2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (q >= -0.425 && q <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * Polynomial(kA, r) / Polynomial(kB, r);
  }
  const double r = std::sqrt(-Log(q < 0 ? p : 1 - p));  // the square root is exact by IEEE 754
  const double z = r <= 5 ? Polynomial(kC, r - 1.6) / Polynomial(kD, r - 1.6) : Polynomial(kE, r - 5) / Polynomial(kF, r - 5);
  return q < 0 ? -z : z;
}

}  // namespace recloser::sim
