// One look at a block of float32 with AVX2: counts, lowest, highest and sums in a single pass, at half the time of the
// general loops. Included by float.h where the instruction set has it; see `float32_avx512.h` for how the extremes are told.
#pragma once

#include <immintrin.h>

#include "health/block.h"
#include "health/formats.h"
#include "health/vectors_avx2.h"

namespace tensordbg {
namespace {

// Sums in double precision; two of these need not wait for each other.
struct Powers {
  DoubleLanes sum;
  DoubleLanes squares;

  void add(Vector values) {
    const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(values));
    const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(values, 1));
    sum.low = _mm256_add_pd(sum.low, low);
    sum.high = _mm256_add_pd(sum.high, high);
    squares.low = _mm256_fmadd_pd(low, low, squares.low);
    squares.high = _mm256_fmadd_pd(high, high, squares.high);
  }
};

// Eight elements by eight; each extreme stands in its own lane.
struct Lanes {
  __m256i largest_signed = _mm256_set1_epi32(~Float32Format::kMagnitude);
  __m256i largest_unsigned = _mm256_setzero_si256();
  __m256i magnitude = _mm256_set1_epi32(-1);
  Counter<std::int32_t> signs_seen;

  void add(Vector values) {
    const __m256i bits = _mm256_castps_si256(values);
    largest_signed = _mm256_max_epi32(largest_signed, bits);
    largest_unsigned = _mm256_max_epu32(largest_unsigned, bits);
    magnitude = _mm256_min_epu32(magnitude, _mm256_and_si256(bits, _mm256_set1_epi32(Float32Format::kMagnitude)));
    signs_seen.counts = _mm256_sub_epi32(signs_seen.counts, _mm256_srai_epi32(bits, 31));
  }

  // The zeros and subnormals of the block are looked for where there is any such number: most tensors have neither, and
  // where one has zeros, it mostly has them everywhere.
  FloatFeatures<Float32Format> features(const unsigned char* block, std::int64_t size) const {
    alignas(32) std::uint32_t most_of[kVector], least_of[kVector];
    alignas(32) std::int32_t high_of[kVector];
    _mm256_store_si256(reinterpret_cast<__m256i*>(most_of), largest_unsigned);
    _mm256_store_si256(reinterpret_cast<__m256i*>(least_of), magnitude);
    _mm256_store_si256(reinterpret_cast<__m256i*>(high_of), largest_signed);
    std::uint32_t unsigned_most = most_of[0], unsigned_least = least_of[0];
    std::int32_t high = high_of[0];
    for (std::int64_t i = 1; i < kVector; ++i) {
      unsigned_most = most_of[i] > unsigned_most ? most_of[i] : unsigned_most;
      unsigned_least = least_of[i] < unsigned_least ? least_of[i] : unsigned_least;
      high = high_of[i] > high ? high_of[i] : high;
    }
    const auto most = static_cast<std::int32_t>(unsigned_most), least = static_cast<std::int32_t>(unsigned_least);
    TinyCounts tiny;
    if (least < Float32Format::kMinNormal) tiny = count_tiny<Float32Format>(block, size);
    FloatFeatures<Float32Format> features;
    features.lowest = most < 0 ? rank_of<Float32Format>(most) : least;
    features.highest = high >= 0 ? high : ~least;  // ~least is the rank of -least
    features.negative = signs_seen.total() - tiny.negative_zero;
    features.zero = tiny.zero;
    features.subnormal = tiny.subnormal;
    return features;
  }
};

template <>
inline Summary<Float32Format> look_carefully<Float32Format>(const unsigned char* block, std::int64_t count) {
  constexpr std::int64_t kStep = 2 * kVector;
  Lanes lanes;
  Powers even, odd;
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    const unsigned char* data = block + i * 4;
    fetch_ahead(data);
    const Vector first = load_vector<Float32Format>(data), second = load_vector<Float32Format>(data + kVector * 4);
    lanes.add(first);
    lanes.add(second);
    even.add(first);
    odd.add(second);
  }
  const Summary<Float32Format> last = {float_features<Float32Format>(block + i * 4, count - i),
                                       float_sums<Float32Format>(block + i * 4, count - i), count - i};
  if (i == 0) return last;
  const Sums sums{even.sum.total() + odd.sum.total(), even.squares.total() + odd.squares.total()};
  return joined({lanes.features(block, i), sums, i}, last);
}

}  // namespace
}  // namespace tensordbg
