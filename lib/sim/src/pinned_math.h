// Logarithm, exponential and normal quantile out of additions, multiplications and divisions alone, so that they give the same bits with
// every compiler, optimisation level and C library. Accurate to about 1e-15 (relative).
//
// Thread safety: pure functions.
#ifndef RECLOSER_SIM_SRC_PINNED_MATH_H_
#define RECLOSER_SIM_SRC_PINNED_MATH_H_

namespace recloser::sim {

/// x > 0 and normal.
double Log(double x);
/// 0 for x below -700; saturates above 700.
double Exp(double x);
/// The z with P(Z <= z) = p of a standard normal Z; 0 < p < 1.
double InverseNormal(double p);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_PINNED_MATH_H_
