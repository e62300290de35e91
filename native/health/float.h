// The health of real floating-point numbers.
//
// Counts, minimum and maximum come from integer operations on the bits, which no floating-point mode can disturb.
// Only a block that holds a non-finite element is looked at again.
#pragma once

#include "health/block.h"
#include "health/formats.h"

namespace tensordbg {
namespace {

// A number's rank: a signed integer that orders as the numbers do, -0 (rank -1) before +0 (rank 0). NaNs lie at
// both ends, beyond the infinities. The same operation leads back from the rank to the bits.
template <class Format>
inline typename Format::Bits rank_of(typename Format::Bits bits) {
  return static_cast<typename Format::Bits>(bits < 0 ? bits ^ Format::kMagnitude : bits);
}

// Ranks that no finite number reaches: where a search for the lowest and the highest begins.
template <class Format>
struct RankLimits {
  static constexpr typename Format::Bits kHighest = Format::kMagnitude;
  static constexpr typename Format::Bits kLowest = static_cast<typename Format::Bits>(~Format::kMagnitude);
};

template <class Format>
struct FloatFeatures {
  using Bits = typename Format::Bits;
  Bits lowest = RankLimits<Format>::kHighest;
  Bits highest = RankLimits<Format>::kLowest;
  std::int64_t negative = 0;
  std::int64_t zero = 0;
  std::int64_t subnormal = 0;

  bool all_finite() const {
    return highest < Format::kFirstNonFinite && lowest > static_cast<Bits>(~Format::kFirstNonFinite);
  }
};

// The features of all elements: of the non-finite ones too, save that these are never zero or subnormal.
template <class Format>
FloatFeatures<Format> float_features(const unsigned char* data, std::int64_t count) {
  using Bits = typename Format::Bits;
  using Counter = typename CounterOf<sizeof(Bits)>::Type;
  Bits lowest = RankLimits<Format>::kHighest;
  Bits highest = RankLimits<Format>::kLowest;
  Counter negative = 0;
  Counter zero = 0;
  Counter tiny = 0;
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
  return {lowest, highest, static_cast<std::int64_t>(negative), static_cast<std::int64_t>(zero),
          static_cast<std::int64_t>(tiny) - static_cast<std::int64_t>(zero)};
}

// Of finite elements only. Double precision throughout: the square of a float32 does not fit a float32. Four stripes of
// the block are added up side by side, as one addition would have to wait for the one before it.
template <class Format>
Sums float_sums(const unsigned char* data, std::int64_t count) {
  using Bits = typename Format::Bits;
  const std::int64_t stripe = count / 4;
  double sum0 = 0.0, sum1 = 0.0, sum2 = 0.0, sum3 = 0.0;
  double squares0 = 0.0, squares1 = 0.0, squares2 = 0.0, squares3 = 0.0;
#pragma omp simd reduction(+ : sum0, sum1, sum2, sum3, squares0, squares1, squares2, squares3)
  for (std::int64_t i = 0; i < stripe; ++i) {
    const double value0 = static_cast<double>(Format::value(load<Bits>(data, i)));
    const double value1 = static_cast<double>(Format::value(load<Bits>(data, i + stripe)));
    const double value2 = static_cast<double>(Format::value(load<Bits>(data, i + 2 * stripe)));
    const double value3 = static_cast<double>(Format::value(load<Bits>(data, i + 3 * stripe)));
    sum0 += value0;
    sum1 += value1;
    sum2 += value2;
    sum3 += value3;
    squares0 += value0 * value0;
    squares1 += value1 * value1;
    squares2 += value2 * value2;
    squares3 += value3 * value3;
  }
  Sums sums{(sum0 + sum1) + (sum2 + sum3), (squares0 + squares1) + (squares2 + squares3)};
  for (std::int64_t i = 4 * stripe; i < count; ++i) {
    const double value = static_cast<double>(Format::value(load<Bits>(data, i)));
    sums.sum += value;
    sums.squares += value * value;
  }
  return sums;
}

// What one look at some elements tells. The sums are right where all of them are finite.
template <class Format>
struct Summary {
  FloatFeatures<Format> features;
  Sums sums;
  std::int64_t size = 0;
};

template <class Format>
Summary<Format> joined(const Summary<Format>& one, const Summary<Format>& other) {
  const FloatFeatures<Format>&a = one.features, &b = other.features;
  return {{b.lowest < a.lowest ? b.lowest : a.lowest, b.highest > a.highest ? b.highest : a.highest,
           a.negative + b.negative, a.zero + b.zero, a.subnormal + b.subnormal},
          {one.sums.sum + other.sums.sum, one.sums.squares + other.sums.squares},
          one.size + other.size};
}

// The elements of a block.
template <class Format>
constexpr std::int64_t kBlockElements = kBlockBytes / static_cast<std::int64_t>(sizeof(typename Format::Bits));

template <class Format>
Summary<Format> look_carefully(const unsigned char* block, std::int64_t count) {
  return {float_features<Format>(block, count), float_sums<Format>(block, count), count};
}

// How many of the next `count` elements a quick look would take in, and the look at so many, which is taken where those `before`
// were finite; false where a careful look is needed. Only some formats, with some instruction sets, have one.
template <class Format>
std::int64_t quick_span(std::int64_t /*count*/) {
  return 0;
}

template <class Format>
bool look_quickly(const unsigned char* /*data*/, std::int64_t /*span*/, const Summary<Format>& /*before*/,
                  Summary<Format>* /*out*/) {
  return false;
}

}  // namespace
}  // namespace tensordbg

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include "health/float32_avx512.h"
#include "health/float32_quick.h"
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include "health/float32_avx2.h"
#include "health/float32_quick.h"
#endif

namespace tensordbg {
namespace {

// Repairs the features of a block that has non-finite elements, counts these in `out`, and copies the block to `kept`
// with +0 in their place.
template <class Format>
void set_non_finite_apart(const unsigned char* block, std::int64_t count, unsigned char* kept,
                          FloatFeatures<Format>* features, HealthFields* out) {
  using Bits = typename Format::Bits;
  using Counter = typename CounterOf<sizeof(Bits)>::Type;
  Bits lowest = RankLimits<Format>::kHighest;
  Bits highest = RankLimits<Format>::kLowest;
  Counter bad = 0;
  Counter nan = 0;
  Counter signed_bad = 0;
  Counter neg_inf = 0;
#pragma omp simd reduction(min : lowest) reduction(max : highest) reduction(+ : bad, nan, signed_bad, neg_inf)
  for (std::int64_t i = 0; i < count; ++i) {
    const Bits bits = load<Bits>(block, i);
    const Bits magnitude = static_cast<Bits>(bits & Format::kMagnitude);
    const Bits rank = rank_of<Format>(bits);
    const bool is_bad = magnitude >= Format::kFirstNonFinite;
    const bool is_nan = magnitude >= Format::kFirstNan;
    const Bits low = is_bad ? RankLimits<Format>::kHighest : rank;
    const Bits high = is_bad ? RankLimits<Format>::kLowest : rank;
    lowest = low < lowest ? low : lowest;
    highest = high > highest ? high : highest;
    bad = static_cast<Counter>(bad + is_bad);
    nan = static_cast<Counter>(nan + is_nan);
    signed_bad = static_cast<Counter>(signed_bad + (is_bad & (bits < 0)));
    neg_inf = static_cast<Counter>(neg_inf + (is_bad & !is_nan & (bits < 0)));
    store<Bits>(kept, i, static_cast<Bits>(is_bad ? 0 : bits));
  }
  features->lowest = lowest;
  features->highest = highest;
  features->negative -= static_cast<std::int64_t>(signed_bad);
  out->nan += static_cast<std::int64_t>(nan);
  out->neg_inf += static_cast<std::int64_t>(neg_inf);
  out->pos_inf += static_cast<std::int64_t>(bad) - static_cast<std::int64_t>(nan) - static_cast<std::int64_t>(neg_inf);
}

template <class Format>
std::int64_t first_non_finite(const unsigned char* data) {
  using Bits = typename Format::Bits;
  std::int64_t i = 0;
  while ((load<Bits>(data, i) & Format::kMagnitude) < Format::kFirstNonFinite) ++i;
  return i;
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

// A block, its non-finite elements counted in `out` and set apart.
template <class Format>
Summary<Format> measure_block(const unsigned char* block, std::int64_t size, std::int64_t start, HealthFields* out) {
  Summary<Format> summary = look_carefully<Format>(block, size);
  if (summary.features.all_finite()) return summary;
  unsigned char kept[kBlockBytes];
  set_non_finite_apart<Format>(block, size, kept, &summary.features, out);
  if (out->first_bad < 0) out->first_bad = start + first_non_finite<Format>(block);
  summary.sums = float_sums<Format>(kept, size);
  return summary;
}

template <class Format>
Summary<Format> summary_of(const unsigned char* data, std::int64_t count, HealthFields* out) {
  Summary<Format> whole, last;
  std::int64_t careful_until = kBlockElements<Format>;
  for (std::int64_t start = 0; start < count;) {
    const unsigned char* next = data + start * static_cast<std::int64_t>(sizeof(typename Format::Bits));
    const std::int64_t span = start >= careful_until ? quick_span<Format>(count - start) : 0;
    std::int64_t size = span;
    if (span == 0 || !look_quickly<Format>(next, span, last, &last)) {
      // What is not finite, or spread too widely, mostly goes on.
      if (span > 0) careful_until = start + 4 * span;
      size = smaller(kBlockElements<Format>, count - start);
      last = measure_block<Format>(next, size, start, out);
    }
    whole = joined(whole, last);
    start += size;
  }
  return whole;
}

template <class Format>
void measure_float(const unsigned char* data, std::int64_t count, HealthFields* out) {
  const Summary<Format> whole = summary_of<Format>(data, count, out);
  const FloatFeatures<Format>& features = whole.features;
  out->negative = features.negative;
  out->zero = features.zero;
  out->subnormal = features.subnormal;
  out->sum = whole.sums.sum;
  out->sum_squares = whole.sums.squares;
  if (!__builtin_isfinite(out->sum)) out->sum = scaled_sum<Format>(data, count);
  if (features.lowest > features.highest) return;  // no finite element
  out->min = Format::value(rank_of<Format>(features.lowest));
  out->max = Format::value(rank_of<Format>(features.highest));
}

}  // namespace
}  // namespace tensordbg
