// One look at a block of float32 with AVX-512: counts, lowest, highest and sums in a single pass, at half the time of the
// general loops. Included by float.h where the instruction set has it.
#pragma once

#include <immintrin.h>

#include "health/block.h"
#include "health/formats.h"
#include "health/vectors_avx512.h"

namespace tensordbg {
namespace {

// Sixteen elements by sixteen; each counter and each extreme stands in its own lane.
//
// Three extremes of the bits tell the lowest and the highest number with an instruction each: as signed integers the largest
// is the highest number, if any is without a sign; as unsigned ones it is the lowest, if any has a sign; and where all
// have the same sign, the other end is the number of least magnitude.
struct Lanes {
  __m512i largest_signed = _mm512_set1_epi32(~Float32Format::kMagnitude);
  __m512i largest_unsigned = _mm512_setzero_si512();
  __m512i magnitude = _mm512_set1_epi32(-1);
  std::int64_t negative = 0;
  __m512d sum[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
  __m512d squares[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};

  void add(__m512i bits, const unsigned char* data) {
    largest_signed = _mm512_max_epi32(largest_signed, bits);
    largest_unsigned = _mm512_max_epu32(largest_unsigned, bits);
    magnitude = _mm512_min_epu32(magnitude, _mm512_and_si512(bits, _mm512_set1_epi32(Float32Format::kMagnitude)));
    negative += ones(_mm512_cmpgt_epu32_mask(bits, _mm512_set1_epi32(INT32_MIN)));
    const float* values = reinterpret_cast<const float*>(data);
    const __m512d half[2] = {_mm512_cvtps_pd(_mm256_loadu_ps(values)), _mm512_cvtps_pd(_mm256_loadu_ps(values + 8))};
    for (int k = 0; k < 2; ++k) {
      sum[k] = _mm512_add_pd(sum[k], half[k]);
      squares[k] = _mm512_fmadd_pd(half[k], half[k], squares[k]);
    }
  }

  // Takes in another part of the same block.
  void join(const Lanes& other) {
    largest_signed = _mm512_max_epi32(largest_signed, other.largest_signed);
    largest_unsigned = _mm512_max_epu32(largest_unsigned, other.largest_unsigned);
    magnitude = _mm512_min_epu32(magnitude, other.magnitude);
    negative += other.negative;
    for (int k = 0; k < 2; ++k) {
      sum[k] = _mm512_add_pd(sum[k], other.sum[k]);
      squares[k] = _mm512_add_pd(squares[k], other.squares[k]);
    }
  }

  // What is known without a look for zeros and subnormals.
  Summary<Float32Format> summary(std::int64_t size) const {
    const auto most = static_cast<std::int32_t>(_mm512_reduce_max_epu32(largest_unsigned));
    const std::int32_t high = _mm512_reduce_max_epi32(largest_signed);
    const auto least = static_cast<std::int32_t>(_mm512_reduce_min_epu32(magnitude));
    FloatFeatures<Float32Format> features;
    features.lowest = most < 0 ? rank_of<Float32Format>(most) : least;
    features.highest = high >= 0 ? high : ~least;  // ~least is the rank of -least
    features.negative = negative;
    return {features,
            {_mm512_reduce_add_pd(_mm512_add_pd(sum[0], sum[1])),
             _mm512_reduce_add_pd(_mm512_add_pd(squares[0], squares[1]))},
            size};
  }

  bool any_tiny() const {
    return _mm512_cmplt_epu32_mask(magnitude, _mm512_set1_epi32(Float32Format::kMinNormal)) != 0;
  }
};

template <>
inline Summary<Float32Format> look_carefully<Float32Format>(const unsigned char* block, std::int64_t count) {
  // Two independent sets: an addition need not wait for the one before it.
  constexpr std::int64_t kStep = 32;
  Lanes even, odd;
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    const unsigned char* data = block + i * 4;
    fetch_ahead(data);
    fetch_ahead(data + 64);
    const __m512i first = _mm512_loadu_si512(data);
    const __m512i second = _mm512_loadu_si512(data + 64);
    even.add(first, data);
    odd.add(second, data + 64);
  }
  const Summary<Float32Format> last = {float_features<Float32Format>(block + i * 4, count - i),
                                        float_sums<Float32Format>(block + i * 4, count - i), count - i};
  if (i == 0) return last;
  even.join(odd);
  Summary<Float32Format> first = even.summary(i);
  // Most tensors have neither zeros nor subnormals; where one has zeros, it mostly has them everywhere.
  if (even.any_tiny()) {
    const TinyCounts counts = count_tiny<Float32Format>(block, i);
    first.features.zero = counts.zero;
    first.features.subnormal = counts.subnormal;
  }
  return joined(first, last);
}

}  // namespace
}  // namespace tensordbg
