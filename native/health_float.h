// The health of real floating-point numbers.
//
// Counts, minimum and maximum come from integer operations on the bits, which no floating-point mode can disturb.
// A block that holds a non-finite element is measured again on a copy without such elements.
#pragma once

#include "health_block.h"
#include "health_formats.h"

namespace tensordbg {
namespace {

// A number's rank: a signed integer that orders as the numbers do, -0 (rank -1) before +0 (rank 0). NaNs lie at
// both ends, beyond the infinities. The same operation leads back from the rank to the bits.
template <class Format>
inline typename Format::Bits rank_of(typename Format::Bits bits) {
  return static_cast<typename Format::Bits>(bits < 0 ? bits ^ Format::kMagnitude : bits);
}

template <class Format>
struct FloatFeatures {
  using Bits = typename Format::Bits;
  Bits lowest = Format::kMagnitude;                           // rank
  Bits highest = static_cast<Bits>(~Format::kMagnitude);      // rank
  std::int64_t negative = 0;                                  // meaningless where there are non-finite elements
  std::int64_t zero = 0;
  std::int64_t subnormal = 0;

  bool all_finite() const {
    return highest < Format::kFirstNonFinite && lowest > static_cast<Bits>(~Format::kFirstNonFinite);
  }
};

template <class Format>
FloatFeatures<Format> float_features(const unsigned char* data, std::int64_t count) {
  using Bits = typename Format::Bits;
  using Counter = typename CounterOf<sizeof(Bits)>::Type;
  FloatFeatures<Format> features;
  Bits lowest = features.lowest;
  Bits highest = features.highest;
  Counter negative = 0;
  Counter zero = 0;
  Counter tiny = 0;
#pragma omp simd reduction(min : lowest) reduction(max : highest) reduction(+ : negative, zero, tiny)
  for (std::int64_t i = 0; i < count; ++i) {
    const Bits bits = load<Bits>(data, i);
    const Bits magnitude = static_cast<Bits>(bits & Format::kMagnitude);
    const Bits rank = rank_of<Format>(bits);
    lowest = rank < lowest ? rank : lowest;
    highest = rank > highest ? rank : highest;
    negative = static_cast<Counter>(negative + (rank < Bits{-1}));
    zero = static_cast<Counter>(zero + (magnitude == 0));
    tiny = static_cast<Counter>(tiny + (magnitude < Format::kMinNormal));
  }
  features.lowest = lowest;
  features.highest = highest;
  features.negative = negative;
  features.zero = zero;
  features.subnormal = tiny - zero;
  return features;
}

// Of finite elements only. Double precision throughout: the square of a float32 does not fit a float32.
template <class Format>
Sums float_sums(const unsigned char* data, std::int64_t count) {
  using Bits = typename Format::Bits;
  double sum = 0.0;
  double squares = 0.0;
#pragma omp simd reduction(+ : sum, squares)
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(Format::value(load<Bits>(data, i)));
    sum += value;
    squares += value * value;
  }
  return {sum, squares};
}

// Counts the non-finite elements of a block that starts at element `start` of the tensor.
template <class Format>
std::int64_t count_non_finite(const unsigned char* block, std::int64_t count, std::int64_t start, HealthFields* out) {
  using Bits = typename Format::Bits;
  using Counter = typename CounterOf<sizeof(Bits)>::Type;
  Counter nan = 0;
  Counter infinite = 0;
  Counter positive = 0;
#pragma omp simd reduction(+ : nan, infinite, positive)
  for (std::int64_t i = 0; i < count; ++i) {
    const Bits bits = load<Bits>(block, i);
    const Bits magnitude = static_cast<Bits>(bits & Format::kMagnitude);
    const bool is_nan = magnitude >= Format::kFirstNan;
    const bool is_infinite = (magnitude >= Format::kFirstNonFinite) & !is_nan;
    nan = static_cast<Counter>(nan + is_nan);
    infinite = static_cast<Counter>(infinite + is_infinite);
    positive = static_cast<Counter>(positive + (is_infinite & (bits >= 0)));
  }
  out->nan += nan;
  out->pos_inf += positive;
  out->neg_inf += static_cast<std::int64_t>(infinite) - positive;
  if (out->first_bad < 0) {
    std::int64_t i = 0;
    while ((load<Bits>(block, i) & Format::kMagnitude) < Format::kFirstNonFinite) ++i;
    out->first_bad = start + i;
  }
  return static_cast<std::int64_t>(nan) + infinite;
}

// Copies the finite elements of a block side by side and returns their number.
template <class Format>
std::int64_t keep_finite(const unsigned char* block, std::int64_t count, unsigned char* kept) {
  using Bits = typename Format::Bits;
  std::int64_t size = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Bits bits = load<Bits>(block, i);
    std::memcpy(kept + size * static_cast<std::int64_t>(sizeof(Bits)), &bits, sizeof(Bits));
    size += (bits & Format::kMagnitude) < Format::kFirstNonFinite;
  }
  return size;
}

// The sum again, where it left the range of double: scaled, so that only a sum that is itself too large overflows
// and not one whose parts cancel.
template <class Format>
double scaled_sum(const unsigned char* data, std::int64_t count) {
  using Bits = typename Format::Bits;
  constexpr double kScale = 0x1p-64;
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Bits bits = load<Bits>(data, i);
    if ((bits & Format::kMagnitude) < Format::kFirstNonFinite) sum += static_cast<double>(Format::value(bits)) * kScale;
  }
  return sum / kScale;
}

template <class Format>
void measure_float(const unsigned char* data, std::int64_t count, HealthFields* out) {
  using Bits = typename Format::Bits;
  constexpr std::int64_t kBlock = kBlockBytes / static_cast<std::int64_t>(sizeof(Bits));
  unsigned char kept[kBlockBytes];
  FloatFeatures<Format> total;
  Sums sums;
  for (std::int64_t start = 0; start < count; start += kBlock) {
    const unsigned char* block = data + start * static_cast<std::int64_t>(sizeof(Bits));
    std::int64_t size = smaller(kBlock, count - start);
    FloatFeatures<Format> features = float_features<Format>(block, size);
    if (!features.all_finite()) {
      if (count_non_finite<Format>(block, size, start, out) == size) continue;
      size = keep_finite<Format>(block, size, kept);
      block = kept;
      features = float_features<Format>(block, size);
    }
    total.lowest = features.lowest < total.lowest ? features.lowest : total.lowest;
    total.highest = features.highest > total.highest ? features.highest : total.highest;
    total.negative += features.negative;
    total.zero += features.zero;
    total.subnormal += features.subnormal;
    const Sums block_sums = float_sums<Format>(block, size);
    sums.sum += block_sums.sum;
    sums.squares += block_sums.squares;
  }
  if (!__builtin_isfinite(sums.sum)) sums.sum = scaled_sum<Format>(data, count);
  out->negative = total.negative;
  out->zero = total.zero;
  out->subnormal = total.subnormal;
  out->sum = sums.sum;
  out->sum_squares = sums.squares;
  if (total.lowest > total.highest) return;  // no finite element
  out->min = Format::value(rank_of<Format>(total.lowest));
  out->max = Format::value(rank_of<Format>(total.highest));
}

}  // namespace
}  // namespace tensordbg
