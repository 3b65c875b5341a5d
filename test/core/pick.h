// Uniform choices for properties. RapidCheck's `inRange` grows with the size of the test case; these don't.
#ifndef RECLOSER_TEST_CORE_PICK_H_
#define RECLOSER_TEST_CORE_PICK_H_

#include <rapidcheck.h>

namespace recloser {

/// In [low, high).
template <class T>
T Pick(T low, T high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, high));
}

/// In [0, 1], in thousandths.
inline double PickFraction() { return Pick(0, 1001) / 1000.0; }

}  // namespace recloser

#endif  // RECLOSER_TEST_CORE_PICK_H_
