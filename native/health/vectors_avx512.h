// Sixteen float32 at a time with AVX-512: what the looks at float32 are made of, as in `vectors_avx2.h`.
#pragma once

#include <immintrin.h>

#include "health/block.h"
#include "health/formats.h"

namespace tensordbg {
namespace {

constexpr std::int64_t kVector = 16;

using Vector = __m512;

inline Vector all_of(float value) { return _mm512_set1_ps(value); }
inline Vector load_vector(const unsigned char* data) { return _mm512_loadu_ps(data); }
inline Vector plus(Vector a, Vector b) { return _mm512_add_ps(a, b); }
inline Vector minus(Vector a, Vector b) { return _mm512_sub_ps(a, b); }
inline Vector times(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
inline Vector times_plus(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }

struct DoubleLanes {
  __m512d low = _mm512_setzero_pd();
  __m512d high = _mm512_setzero_pd();

  void add(Vector values) {
    low = _mm512_add_pd(low, _mm512_cvtps_pd(_mm512_castps512_ps256(values)));
    high = _mm512_add_pd(high, _mm512_cvtps_pd(_mm512_extractf32x8_ps(values, 1)));
  }

  double total() const { return _mm512_reduce_add_pd(_mm512_add_pd(low, high)); }
};

// The extremes of every other vector; two of these need not wait for each other.
struct Extremes {
  Vector lowest = _mm512_set1_ps(__builtin_inff());
  Vector highest = _mm512_set1_ps(-__builtin_inff());
  Vector magnitude = _mm512_set1_ps(__builtin_inff());

  void add(Vector values) {
    lowest = _mm512_min_ps(lowest, values);
    highest = _mm512_max_ps(highest, values);
    magnitude = _mm512_range_ps(magnitude, values, 0x0a);  // the smaller magnitude, without its sign
  }

  void join(const Extremes& other) {
    lowest = _mm512_min_ps(lowest, other.lowest);
    highest = _mm512_max_ps(highest, other.highest);
    magnitude = _mm512_min_ps(magnitude, other.magnitude);
  }

  float least() const { return _mm512_reduce_min_ps(lowest); }
  float most() const { return _mm512_reduce_max_ps(highest); }
  float least_magnitude() const { return _mm512_reduce_min_ps(magnitude); }
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
inline std::int64_t signs(Vector a, Vector b, Vector c, Vector d) {
  const __m512i first = _mm512_packs_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b));
  const __m512i second = _mm512_packs_epi32(_mm512_castps_si512(c), _mm512_castps_si512(d));
  return __builtin_popcountll(_mm512_movepi8_mask(_mm512_packs_epi16(first, second)));
}

}  // namespace
}  // namespace tensordbg
