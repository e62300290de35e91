// The health of complex numbers. The larger magnitude of an element's two parts says all that is counted: it is a
// NaN where either part is one, else infinite where either is, zero where both are, and smaller than the smallest
// normal number where neither part is normal; such an element, unless it is zero, counts as subnormal.
#pragma once

#include <math.h>

#include "health/block.h"
#include "health/formats.h"

namespace tensordbg {
namespace {

template <class Format>
struct ComplexFeatures {
  typename Format::Bits largest = 0;  // of the larger magnitudes
  std::int64_t zero = 0;
  std::int64_t subnormal = 0;
  std::int64_t small = 0;  // not zero, but the square of the modulus may lose precision
};

// Between these magnitudes the sum of the parts' squares neither overflows nor loses precision in double precision.
template <class Format>
struct SafeRange {
  static constexpr typename Format::Bits kLow = 0;
  static constexpr typename Format::Bits kHigh = Format::kMagnitude;
};
template <>
struct SafeRange<Float64Format> {
  static constexpr std::int64_t kLow = std::int64_t{1023 - 400} << 52;
  static constexpr std::int64_t kHigh = std::int64_t{1023 + 510} << 52;
};

template <class Format>
inline typename Format::Bits larger_magnitude(const unsigned char* data, std::int64_t index) {
  using Bits = typename Format::Bits;
  const Bits real = load<Bits>(data, 2 * index) & Format::kMagnitude;
  const Bits imaginary = load<Bits>(data, 2 * index + 1) & Format::kMagnitude;
  return real > imaginary ? real : imaginary;
}

template <class Format>
ComplexFeatures<Format> complex_features(const unsigned char* data, std::int64_t count) {
  using Bits = typename Format::Bits;
  using Counter = typename CounterOf<sizeof(Bits)>::Type;
  Bits largest = 0;
  Counter zero = 0;
  Counter tiny = 0;
  Counter small = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Bits larger = larger_magnitude<Format>(data, i);
    largest = larger > largest ? larger : largest;
    zero += larger == 0;
    tiny += larger < Format::kMinNormal;
    small += larger < SafeRange<Format>::kLow;
  }
  ComplexFeatures<Format> features;
  features.largest = largest;
  features.zero = static_cast<std::int64_t>(zero);
  features.subnormal = static_cast<std::int64_t>(tiny - zero);
  features.small = small > zero ? static_cast<std::int64_t>(small - zero) : 0;
  return features;
}

// The modulus is never negative, so its bits order as its values do.
struct Moduli {
  std::int64_t lowest = INT64_MAX;
  std::int64_t highest = -1;
  Sums sums;
};

template <class Format>
Moduli moduli(const unsigned char* data, std::int64_t count) {
  using Bits = typename Format::Bits;
  Moduli result;
  std::int64_t lowest = result.lowest;
  std::int64_t highest = result.highest;
  double sum = 0.0;
  double squares = 0.0;
#pragma omp simd reduction(min : lowest) reduction(max : highest) reduction(+ : sum, squares)
  for (std::int64_t i = 0; i < count; ++i) {
    const double real = static_cast<double>(Format::value(load<Bits>(data, 2 * i)));
    const double imaginary = static_cast<double>(Format::value(load<Bits>(data, 2 * i + 1)));
    const double square = real * real + imaginary * imaginary;
    const double modulus = sqrt(square);
    const std::int64_t bits = bit_cast<std::int64_t>(modulus);
    lowest = bits < lowest ? bits : lowest;
    highest = bits > highest ? bits : highest;
    sum += modulus;
    squares += square;
  }
  return {lowest, highest, {sum, squares}};
}

// As `moduli`, for parts whose squares leave the range of double precision. A modulus beyond it is infinite.
template <class Format>
Moduli careful_moduli(const unsigned char* data, std::int64_t count) {
  using Bits = typename Format::Bits;
  Moduli result;
  for (std::int64_t i = 0; i < count; ++i) {
    const double modulus = hypot(static_cast<double>(Format::value(load<Bits>(data, 2 * i))),
                                 static_cast<double>(Format::value(load<Bits>(data, 2 * i + 1))));
    const std::int64_t bits = bit_cast<std::int64_t>(modulus);
    result.lowest = bits < result.lowest ? bits : result.lowest;
    result.highest = bits > result.highest ? bits : result.highest;
    result.sums.sum += modulus;
    result.sums.squares += modulus * modulus;
  }
  return result;
}

// Counts the non-finite elements of a block that starts at element `start` of the tensor, copies the others side by
// side and returns their number.
template <class Format>
std::int64_t set_non_finite_apart(const unsigned char* block, std::int64_t count, std::int64_t start,
                                  unsigned char* kept, HealthFields* out) {
  constexpr std::int64_t kElement = 2 * sizeof(typename Format::Bits);
  std::int64_t size = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const typename Format::Bits larger = larger_magnitude<Format>(block, i);
    std::memcpy(kept + size * kElement, block + i * kElement, kElement);
    size += larger < Format::kFirstNonFinite;
    if (larger < Format::kFirstNonFinite) continue;
    if (out->first_bad < 0) out->first_bad = start + i;
    out->nan += larger >= Format::kFirstNan;
    out->pos_inf += larger < Format::kFirstNan;
  }
  return size;
}

template <class Format>
void measure_complex(const unsigned char* data, std::int64_t count, HealthFields* out) {
  constexpr std::int64_t kElement = 2 * sizeof(typename Format::Bits);
  constexpr std::int64_t kBlock = kBlockBytes / kElement;
  unsigned char kept[kBlockBytes];
  Moduli total;
  for (std::int64_t start = 0; start < count; start += kBlock) {
    const unsigned char* block = data + start * kElement;
    std::int64_t size = smaller(kBlock, count - start);
    ComplexFeatures<Format> features = complex_features<Format>(block, size);
    if (features.largest >= Format::kFirstNonFinite) {
      size = set_non_finite_apart<Format>(block, size, start, kept, out);
      block = kept;
      features = complex_features<Format>(block, size);
    }
    out->zero += features.zero;
    out->subnormal += features.subnormal;
    const bool safe = features.small == 0 && features.largest < SafeRange<Format>::kHigh;
    const Moduli part = safe ? moduli<Format>(block, size) : careful_moduli<Format>(block, size);
    total.lowest = part.lowest < total.lowest ? part.lowest : total.lowest;
    total.highest = part.highest > total.highest ? part.highest : total.highest;
    out->sum += part.sums.sum;
    out->sum_squares += part.sums.squares;
  }
  if (total.highest < 0) return;  // no finite element
  out->min = bit_cast<double>(total.lowest);
  out->max = bit_cast<double>(total.highest);
}

}  // namespace
}  // namespace tensordbg
