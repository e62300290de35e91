// Eight float32 at a time with AVX2 and FMA: what the looks at float32 are made of, as in `vectors_avx512.h`.
#pragma once

#include <immintrin.h>

#include "health/block.h"
#include "health/formats.h"

namespace tensordbg {
namespace {

constexpr std::int64_t kVector = 8;

using Vector = __m256;

inline Vector all_of(float value) { return _mm256_set1_ps(value); }
inline Vector load_vector(const unsigned char* data) { return _mm256_loadu_ps(reinterpret_cast<const float*>(data)); }
inline Vector plus(Vector a, Vector b) { return _mm256_add_ps(a, b); }
inline Vector minus(Vector a, Vector b) { return _mm256_sub_ps(a, b); }
inline Vector times(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
inline Vector times_plus(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }

struct DoubleLanes {
  __m256d low = _mm256_setzero_pd();
  __m256d high = _mm256_setzero_pd();

  void add(Vector values) {
    low = _mm256_add_pd(low, _mm256_cvtps_pd(_mm256_castps256_ps128(values)));
    high = _mm256_add_pd(high, _mm256_cvtps_pd(_mm256_extractf128_ps(values, 1)));
  }

  double total() const {
    const __m256d both = _mm256_add_pd(low, high);
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(both), _mm256_extractf128_pd(both, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
  }
};

// The lanes of a vector, taken together by one operation.
template <__m128 (*kTogether)(__m128, __m128)>
inline float together(Vector values) {
  const __m128 four = kTogether(_mm256_castps256_ps128(values), _mm256_extractf128_ps(values, 1));
  const __m128 two = kTogether(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(kTogether(two, _mm_shuffle_ps(two, two, 1)));
}

inline __m128 lower(__m128 a, __m128 b) { return _mm_min_ps(a, b); }
inline __m128 higher(__m128 a, __m128 b) { return _mm_max_ps(a, b); }

// The extremes of every other vector; two of these need not wait for each other.
struct Extremes {
  Vector lowest = _mm256_set1_ps(__builtin_inff());
  Vector highest = _mm256_set1_ps(-__builtin_inff());
  Vector magnitude = _mm256_set1_ps(__builtin_inff());

  void add(Vector values) {
    lowest = _mm256_min_ps(lowest, values);
    highest = _mm256_max_ps(highest, values);
    magnitude = _mm256_min_ps(magnitude, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), values));
  }

  void join(const Extremes& other) {
    lowest = _mm256_min_ps(lowest, other.lowest);
    highest = _mm256_max_ps(highest, other.highest);
    magnitude = _mm256_min_ps(magnitude, other.magnitude);
  }

  float least() const { return together<lower>(lowest); }
  float most() const { return together<higher>(highest); }
  float least_magnitude() const { return together<lower>(magnitude); }
};

inline std::int64_t sum_of_lanes(__m256i counters) {
  alignas(32) std::int32_t lanes[kVector];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), counters);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < kVector; ++i) sum += lanes[i];
  return sum;
}

struct TinyCounts {
  std::int64_t zero = 0;
  std::int64_t negative_zero = 0;
  std::int64_t subnormal = 0;
};

// The zeros and subnormals among the first `size` elements, a multiple of eight and fewer than 2^31.
inline TinyCounts count_tiny(const unsigned char* block, std::int64_t size) {
  const __m256i none = _mm256_setzero_si256();
  __m256i zero = none, negative_zero = none, tiny = none;
  for (std::int64_t i = 0; i < size; i += kVector) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + i * 4));
    // A comparison that holds is -1.
    zero = _mm256_sub_epi32(zero, _mm256_cmpeq_epi32(_mm256_slli_epi32(bits, 1), none));
    negative_zero = _mm256_sub_epi32(negative_zero, _mm256_cmpeq_epi32(bits, _mm256_set1_epi32(INT32_MIN)));
    const __m256i exponent = _mm256_and_si256(bits, _mm256_set1_epi32(Float32Format::kFirstNonFinite));
    tiny = _mm256_sub_epi32(tiny, _mm256_cmpeq_epi32(exponent, none));
  }
  TinyCounts counts;
  counts.zero = sum_of_lanes(zero);
  counts.negative_zero = sum_of_lanes(negative_zero);
  counts.subnormal = sum_of_lanes(tiny) - counts.zero;
  return counts;
}

// How many of 32 numbers have a sign. Two conversions that keep it bring it together.
inline std::int64_t signs(Vector a, Vector b, Vector c, Vector d) {
  const __m256i first = _mm256_packs_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b));
  const __m256i second = _mm256_packs_epi32(_mm256_castps_si256(c), _mm256_castps_si256(d));
  const auto mask = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_packs_epi16(first, second)));
  return __builtin_popcount(mask);
}

}  // namespace
}  // namespace tensordbg
