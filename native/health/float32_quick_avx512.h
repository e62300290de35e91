// A quick look at many float32 with AVX-512, where they are like those before them: at about half of the time of
// `health_float32_avx512.h`, by adding up in single precision first.
//
// What is added up is how far the elements lie from a number near their mean, where that keeps the sums smaller; of eight
// vectors in pairs and pairs of pairs, then of four such groups one by one, which is exact where all are the same, as their
// distance has few digits; and the sums of these in double precision. Six additions round, so the error of the sum is below
// 6 * 2^-24 times the sum of these distances; of the squares, eight (Higham, "The accuracy of floating point summation", 1993,
// section 3: pairwise summation).
#pragma once

#include <immintrin.h>

#include "health/block.h"
#include "health/formats.h"

namespace tensordbg {
namespace {

constexpr std::int64_t kVector = 16;
constexpr std::int64_t kGroup = 8 * kVector;
constexpr std::int64_t kRound = kStreams * kGroup;
constexpr std::int64_t kMostRounds = kSpanBytes / (kRound * 4);

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

struct TinyCounts {
  std::int64_t zero = 0;
  std::int64_t negative_zero = 0;
  std::int64_t subnormal = 0;
};

// The zeros and subnormals among the first `size` elements, a multiple of sixteen.
inline TinyCounts count_tiny(const unsigned char* block, std::int64_t size) {
  TinyCounts counts;
  std::int64_t tiny = 0;
  for (std::int64_t i = 0; i < size; i += kVector) {
    const __m512i bits = _mm512_loadu_si512(block + i * 4);
    counts.zero += ones(_mm512_testn_epi32_mask(bits, _mm512_set1_epi32(Float32Format::kMagnitude)));
    counts.negative_zero += ones(_mm512_cmpeq_epi32_mask(bits, _mm512_set1_epi32(INT32_MIN)));
    tiny += ones(_mm512_testn_epi32_mask(bits, _mm512_set1_epi32(Float32Format::kFirstNonFinite)));
  }
  counts.subnormal = tiny - counts.zero;
  return counts;
}

// How many of 64 numbers have a sign. Two conversions that keep it bring it together.
inline std::int64_t signs(__m512 a, __m512 b, __m512 c, __m512 d) {
  const __m512i first = _mm512_packs_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b));
  const __m512i second = _mm512_packs_epi32(_mm512_castps_si512(c), _mm512_castps_si512(d));
  return __builtin_popcountll(_mm512_movepi8_mask(_mm512_packs_epi16(first, second)));
}

// The bits of a number, of a zero those without a sign.
inline std::int32_t bits_of(float value) { return value == 0.0f ? 0 : bit_cast<std::int32_t>(value); }

// A number near the mean of what was seen before, or 0 where the mean is no larger than the spread about it. It has few digits:
// subtracted from numbers as large as those it causes no error of rounding, which would be the same each time.
inline float centre_of(const Summary<Float32Format>& before) {
  constexpr std::int64_t kExponent = 0x7ff0000000000000;
  constexpr double kDigits = 0x1p12;
  const double size = static_cast<double>(before.size);
  if (2.0 * before.sums.sum * before.sums.sum <= size * before.sums.squares) return 0.0f;
  const double low = Float32Format::value(rank_of<Float32Format>(before.features.lowest));
  const double high = Float32Format::value(rank_of<Float32Format>(before.features.highest));
  const double largest = high > -low ? high : -low;
  const double unit = bit_cast<double>(bit_cast<std::int64_t>(largest) & kExponent) / kDigits;
  if (!(unit > 0.0)) return 0.0f;
  return static_cast<float>(__builtin_rint(before.sums.sum / (size * unit)) * unit);
}

// What a quick look gathers of the numbers' distances from a centre.
template <bool kCentred>
struct QuickLook {
  __m512 centre;
  Extremes extremes[2];
  DoubleLanes sum, squares;
  std::int64_t signs_seen = 0;

  explicit QuickLook(__m512 middle) : centre(middle) {}

  // One group from each of the four places, which lie `stride` bytes apart.
  void add_round(const unsigned char* data, std::int64_t stride) {
    __m512 round_sum = _mm512_setzero_ps(), round_squares = _mm512_setzero_ps();
#pragma GCC unroll 1  // more have more in hand than there are registers
    for (int k = 0; k < kStreams; ++k) {
      const GroupSums group = look_at_group(data + k * stride);
      round_sum = _mm512_add_ps(round_sum, group.sum);
      round_squares = _mm512_add_ps(round_squares, group.squares);
    }
    sum.add(round_sum);
    squares.add(round_squares);
  }

  struct GroupSums {
    __m512 sum, squares;
  };

  GroupSums look_at_group(const unsigned char* group) {
    __m512 values[8], sums[4], powers[2];
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      const unsigned char* data = group + k * kLine;
      fetch_ahead(data);
      values[k] = _mm512_loadu_ps(data);
      extremes[k % 2].add(values[k]);
      const __m512 distance = kCentred ? _mm512_sub_ps(values[k], centre) : values[k];
      sums[k / 2] = k % 2 == 0 ? distance : _mm512_add_ps(sums[k / 2], distance);
      powers[k % 2] = k < 2 ? _mm512_mul_ps(distance, distance) : _mm512_fmadd_ps(distance, distance, powers[k % 2]);
      if (k % 4 == 3) signs_seen += signs(values[k - 3], values[k - 2], values[k - 1], values[k]);
    }
    return {_mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])),
            _mm512_add_ps(powers[0], powers[1])};
  }

  float lowest() const { return _mm512_reduce_min_ps(_mm512_min_ps(extremes[0].lowest, extremes[1].lowest)); }
  float highest() const { return _mm512_reduce_max_ps(_mm512_max_ps(extremes[0].highest, extremes[1].highest)); }
  float magnitude() const { return _mm512_reduce_min_ps(_mm512_min_ps(extremes[0].magnitude, extremes[1].magnitude)); }
};

// Whether the distances can be squared in single precision: where one is not finite their sum isn't either, and where
// all are tiny their squares are lost, unless they are so beside the centre's.
inline bool trusted(double squares, std::int64_t size, float furthest, float centre) {
  constexpr double kLeast = 0x1p-100;
  constexpr float kBeside = 0x1p-12f;
  return __builtin_isfinite(squares) &&
         (squares > kLeast * static_cast<double>(size) || furthest <= kBeside * __builtin_fabsf(centre));
}

template <bool kCentred>
bool look_around(float centre, const unsigned char* data, std::int64_t size, Summary<Float32Format>* out) {
  QuickLook<kCentred> look(_mm512_set1_ps(centre));
  const std::int64_t stride = size / kStreams * 4;
  for (std::int64_t i = 0; i < stride; i += kGroup * 4) look.add_round(data + i, stride);
  const float lowest = look.lowest(), highest = look.highest();
  const double sum = look.sum.total(), squares = look.squares.total();
  const float above = highest - centre, below = centre - lowest;
  if (!trusted(squares, size, above > below ? above : below, centre)) return false;
  out->features.lowest = rank_of<Float32Format>(bits_of(lowest));
  out->features.highest = rank_of<Float32Format>(bits_of(highest));
  TinyCounts tiny;
  if (look.magnitude() < bit_cast<float>(Float32Format::kMinNormal)) tiny = count_tiny(data, size);
  out->features.negative = look.signs_seen - tiny.negative_zero;
  out->features.zero = tiny.zero;
  out->features.subnormal = tiny.subnormal;
  const double number = static_cast<double>(size), shift = centre;
  out->sums.sum = sum + number * shift;
  out->sums.squares = squares + shift * (2.0 * sum + number * shift);
  out->size = size;
  return true;
}

template <>
inline std::int64_t quick_span<Float32Format>(std::int64_t count) {
  return smaller(count / kRound, kMostRounds) * kRound;
}

template <>
inline bool look_quickly<Float32Format>(const unsigned char* data, std::int64_t span, const Summary<Float32Format>& before,
                                        Summary<Float32Format>* out) {
  const float centre = centre_of(before);
  return centre == 0.0f ? look_around<false>(centre, data, span, out) : look_around<true>(centre, data, span, out);
}

}  // namespace
}  // namespace tensordbg
