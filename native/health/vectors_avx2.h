// Eight numbers at a time as float32, with AVX2, FMA and F16C: what the looks at them are made of, as in `vectors_avx512.h`.
#pragma once

#include <immintrin.h>

#include "health/block.h"
#include "health/formats.h"

namespace tensordbg {
namespace {

constexpr std::int64_t kVector = 8;

using Vector = __m256;

inline Vector all_of(float value) { return _mm256_set1_ps(value); }

template <class Format>
Vector load_vector(const unsigned char* data);

template <>
inline Vector load_vector<Float32Format>(const unsigned char* data) {
  return _mm256_loadu_ps(reinterpret_cast<const float*>(data));
}

template <>
inline Vector load_vector<BFloat16Format>(const unsigned char* data) {
  const __m256i bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(bits, 16));
}

template <>
inline Vector load_vector<Float16Format>(const unsigned char* data) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data)));
}

template <>
inline std::int16_t bits_of<Float16Format>(float value) {
  return static_cast<std::int16_t>(_mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set_ss(value), _MM_FROUND_TO_NEAREST_INT)));
}

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

template <typename Bits>
std::int64_t sum_of_lanes(__m256i counts) {
  alignas(32) Bits lanes[sizeof(__m256i) / sizeof(Bits)];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), counts);
  std::int64_t sum = 0;
  for (const Bits each : lanes) sum += each;
  return sum;
}

// Counts what comparisons say: a comparison that holds is -1 in its lane.
template <typename Bits>
struct Counter;

template <>
struct Counter<std::int32_t> {
  static constexpr std::int64_t kLanes = 8;
  __m256i counts = _mm256_setzero_si256();

  static __m256i all_of(std::int32_t bits) { return _mm256_set1_epi32(bits); }
  static __m256i without_sign(__m256i bits) { return _mm256_slli_epi32(bits, 1); }
  void add(__m256i a, __m256i b) { counts = _mm256_sub_epi32(counts, _mm256_cmpeq_epi32(a, b)); }

  std::int64_t total() const { return sum_of_lanes<std::int32_t>(counts); }
};

template <>
struct Counter<std::int16_t> {
  static constexpr std::int64_t kLanes = 16;
  static_assert(kSpanBytes / 2 / kLanes <= INT16_MAX, "a look must not overflow the lanes");
  __m256i counts = _mm256_setzero_si256();

  static __m256i all_of(std::int16_t bits) { return _mm256_set1_epi16(bits); }
  static __m256i without_sign(__m256i bits) { return _mm256_slli_epi16(bits, 1); }
  void add(__m256i a, __m256i b) { counts = _mm256_sub_epi16(counts, _mm256_cmpeq_epi16(a, b)); }

  std::int64_t total() const { return sum_of_lanes<std::int16_t>(counts); }
};

// The zeros and subnormals among the first `size` elements, a multiple of sixteen and no more than a look takes in.
template <class Format>
TinyCounts count_tiny(const unsigned char* block, std::int64_t size) {
  using Bits = typename Format::Bits;
  constexpr auto kSign = static_cast<Bits>(~Format::kMagnitude);
  const __m256i none = _mm256_setzero_si256();
  Counter<Bits> zero, negative_zero, tiny;
  for (std::int64_t i = 0; i < size; i += Counter<Bits>::kLanes) {
    const unsigned char* data = block + i * static_cast<std::int64_t>(sizeof(Bits));
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data));
    zero.add(Counter<Bits>::without_sign(bits), none);
    negative_zero.add(bits, Counter<Bits>::all_of(kSign));
    tiny.add(_mm256_and_si256(bits, Counter<Bits>::all_of(Format::kFirstNonFinite)), none);
  }
  TinyCounts counts;
  counts.zero = zero.total();
  counts.negative_zero = negative_zero.total();
  counts.subnormal = tiny.total() - counts.zero;
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
