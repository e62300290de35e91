// A quick look at a block of float32 with AVX-512, for a block like the one before it: at about two thirds of the time of
// `health_float32_avx512.h`, by adding up in single precision first.
//
// What is added up is how far the elements lie from a number near their mean, which keeps the sums small; eight by eight,
// in pairs and pairs of pairs, which is exact where they are all the same; and the sums of eight in double precision.
// Each of the three additions rounds, so the error of the sum is below 3 * 2^-24 times the sum of these distances
// (Higham, "The accuracy of floating point summation", 1993, section 3: pairwise summation).
#pragma once

#include <immintrin.h>

#include "health_block.h"
#include "health_formats.h"

namespace tensordbg {
namespace {

constexpr std::int64_t kVector = 16;
constexpr std::int64_t kGroup = 8 * kVector;

struct DoubleLanes {
  __m512d low = _mm512_setzero_pd();
  __m512d high = _mm512_setzero_pd();

  void add(__m512 values) {
    low = _mm512_add_pd(low, _mm512_cvtps_pd(_mm512_castps512_ps256(values)));
    high = _mm512_add_pd(high, _mm512_cvtps_pd(_mm512_extractf32x8_ps(values, 1)));
  }

  double total() const { return _mm512_reduce_add_pd(_mm512_add_pd(low, high)); }
};

// The extremes of every other vector; two of these need not wait for each other.
struct Extremes {
  __m512 lowest = _mm512_set1_ps(__builtin_inff());
  __m512 highest = _mm512_set1_ps(-__builtin_inff());
  __m512 magnitude = _mm512_set1_ps(__builtin_inff());

  void add(__m512 values) {
    lowest = _mm512_min_ps(lowest, values);
    highest = _mm512_max_ps(highest, values);
    magnitude = _mm512_range_ps(magnitude, values, 0x0a);  // the smaller magnitude, without its sign
  }
};

inline std::int64_t ones(__mmask16 mask) { return __builtin_popcount(mask); }

// The zeros and subnormals among the first `size` elements, a multiple of sixteen.
inline void count_tiny(const unsigned char* block, std::int64_t size, FloatFeatures<Float32Format>* features) {
  std::int64_t zero = 0;
  std::int64_t tiny = 0;
  for (std::int64_t i = 0; i < size; i += kVector) {
    const __m512i bits = _mm512_loadu_si512(block + i * 4);
    zero += ones(_mm512_testn_epi32_mask(bits, _mm512_set1_epi32(Float32Format::kMagnitude)));
    tiny += ones(_mm512_testn_epi32_mask(bits, _mm512_set1_epi32(Float32Format::kFirstNonFinite)));
  }
  features->zero += zero;
  features->subnormal += tiny - zero;
}

// The bits of a number, of a zero those without a sign.
inline std::int32_t bits_of(float value) { return value == 0.0f ? 0 : bit_cast<std::int32_t>(value); }

// A number near the mean of a full block. It has few digits: subtracted from numbers as large as those of the block it causes
// no error of rounding, which would be the same each time.
inline float centre_of(const BlockSummary<Float32Format>& block) {
  constexpr std::int64_t kExponent = 0x7ff0000000000000;
  constexpr double kDigits = 0x1p12;
  const double low = Float32Format::value(rank_of<Float32Format>(block.features.lowest));
  const double high = Float32Format::value(rank_of<Float32Format>(block.features.highest));
  const double largest = high > -low ? high : -low;
  const double unit = bit_cast<double>(bit_cast<std::int64_t>(largest) & kExponent) / kDigits;
  if (!(unit > 0.0)) return 0.0f;
  const double units = block.sums.sum / (static_cast<double>(kBlockElements<Float32Format>) * unit);
  return static_cast<float>(__builtin_rint(units) * unit);
}

// Whether the distances can be squared in single precision: where one is not finite their sum isn't either, and where
// all are tiny their squares are lost, unless there is nothing to lose.
inline bool trusted(double squares, std::int64_t size, float lowest, float highest) {
  constexpr double kLeast = 0x1p-100;
  return __builtin_isfinite(squares) && (squares > kLeast * static_cast<double>(size) || lowest == highest);
}

// Looks at whole groups, `size` elements; false where a careful look is needed.
inline bool look_quickly(const unsigned char* block, std::int64_t size, float centre, BlockSummary<Float32Format>* out) {
  const __m512 middle = _mm512_set1_ps(centre);
  Extremes extremes[2];
  DoubleLanes sum, squares;
  std::int64_t negative = 0;
  for (std::int64_t i = 0; i < size; i += kGroup) {
    const unsigned char* group = block + i * 4;
    __m512 sums[4], powers[4];
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      const unsigned char* data = group + k * kVector * 4;
      fetch_ahead(data);
      const __m512 values = _mm512_loadu_ps(data);
      extremes[k % 2].add(values);
      negative += ones(_mm512_cmp_ps_mask(values, _mm512_setzero_ps(), _CMP_LT_OQ));
      const __m512 distance = _mm512_sub_ps(values, middle);
      sums[k / 2] = k % 2 == 0 ? distance : _mm512_add_ps(sums[k / 2], distance);
      powers[k / 2] = k % 2 == 0 ? _mm512_mul_ps(distance, distance) : _mm512_fmadd_ps(distance, distance, powers[k / 2]);
    }
    sum.add(_mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])));
    squares.add(_mm512_add_ps(_mm512_add_ps(powers[0], powers[1]), _mm512_add_ps(powers[2], powers[3])));
  }
  const float lowest = _mm512_reduce_min_ps(_mm512_min_ps(extremes[0].lowest, extremes[1].lowest));
  const float highest = _mm512_reduce_max_ps(_mm512_max_ps(extremes[0].highest, extremes[1].highest));
  if (!trusted(squares.total(), size, lowest, highest)) return false;
  out->features.lowest = rank_of<Float32Format>(bits_of(lowest));
  out->features.highest = rank_of<Float32Format>(bits_of(highest));
  out->features.negative = negative;
  const __m512 magnitude = _mm512_min_ps(extremes[0].magnitude, extremes[1].magnitude);
  if (_mm512_reduce_min_ps(magnitude) < bit_cast<float>(Float32Format::kMinNormal)) count_tiny(block, size, &out->features);
  const double number = static_cast<double>(size), shift = centre;
  out->sums.sum = sum.total() + number * shift;
  out->sums.squares = squares.total() + shift * (2.0 * sum.total() + number * shift);
  return true;
}

}  // namespace
}  // namespace tensordbg
