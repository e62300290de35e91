// Sixteen numbers at a time as float32, with AVX-512: what the looks at them are made of, as in `vectors_avx2.h`.
#pragma once

#include <immintrin.h>

#include "health/block.h"
#include "health/formats.h"

namespace tensordbg {
namespace {

constexpr std::int64_t kVector = 16;

using Vector = __m512;

inline Vector all_of(float value) { return _mm512_set1_ps(value); }

template <class Format>
Vector load_vector(const unsigned char* data);

template <>
inline Vector load_vector<Float32Format>(const unsigned char* data) {
  return _mm512_loadu_ps(data);
}

template <>
inline Vector load_vector<BFloat16Format>(const unsigned char* data) {
  const __m512i bits = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(data)));
  return _mm512_castsi512_ps(_mm512_slli_epi32(bits, 16));
}

template <>
inline Vector load_vector<Float16Format>(const unsigned char* data) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(data)));
}

template <>
inline std::int16_t bits_of<Float16Format>(float value) {
  const __m256i bits = _mm512_cvtps_ph(_mm512_set1_ps(value), _MM_FROUND_TO_NEAREST_INT);
  return static_cast<std::int16_t>(_mm256_extract_epi16(bits, 0));
}

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

inline std::int64_t ones(__mmask32 mask) { return __builtin_popcount(mask); }

// Comparisons of elements of a size.
template <typename Bits>
struct Compared;

template <>
struct Compared<std::int32_t> {
  static constexpr std::int64_t kLanes = 16;
  static __m512i all_of(std::int32_t bits) { return _mm512_set1_epi32(bits); }
  static std::int64_t none_of(__m512i bits, __m512i mask) { return ones(_mm512_testn_epi32_mask(bits, mask)); }
  static std::int64_t equal(__m512i a, __m512i b) { return ones(_mm512_cmpeq_epi32_mask(a, b)); }
};

template <>
struct Compared<std::int16_t> {
  static constexpr std::int64_t kLanes = 32;
  static __m512i all_of(std::int16_t bits) { return _mm512_set1_epi16(bits); }
  static std::int64_t none_of(__m512i bits, __m512i mask) { return ones(_mm512_testn_epi16_mask(bits, mask)); }
  static std::int64_t equal(__m512i a, __m512i b) { return ones(_mm512_cmpeq_epi16_mask(a, b)); }
};

// The zeros and subnormals among the first `size` elements, a multiple of 32, or of sixteen of float32.
template <class Format>
TinyCounts count_tiny(const unsigned char* block, std::int64_t size) {
  using Bits = typename Format::Bits;
  using Of = Compared<Bits>;
  constexpr auto kSign = static_cast<Bits>(~Format::kMagnitude);
  TinyCounts counts;
  std::int64_t tiny = 0;
  for (std::int64_t i = 0; i < size; i += Of::kLanes) {
    const __m512i bits = _mm512_loadu_si512(block + i * static_cast<std::int64_t>(sizeof(Bits)));
    counts.zero += Of::none_of(bits, Of::all_of(Format::kMagnitude));
    counts.negative_zero += Of::equal(bits, Of::all_of(kSign));
    tiny += Of::none_of(bits, Of::all_of(Format::kFirstNonFinite));
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
