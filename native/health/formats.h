// The floating-point formats, by their bits. A magnitude is the bits without the sign; magnitudes order as the
// absolute values do, subnormal < normal < infinite < NaN.
#pragma once

#include "health/block.h"

namespace tensordbg {
namespace {

struct Float32Format {
  using Bits = std::int32_t;
  using Value = float;
  static constexpr Bits kMagnitude = 0x7fffffff;
  static constexpr Bits kMinNormal = 0x00800000;
  static constexpr Bits kFirstNonFinite = 0x7f800000;
  static constexpr Bits kFirstNan = 0x7f800001;
  static Value value(Bits bits) { return bit_cast<float>(bits); }
};

struct Float64Format {
  using Bits = std::int64_t;
  using Value = double;
  static constexpr Bits kMagnitude = 0x7fffffffffffffff;
  static constexpr Bits kMinNormal = 0x0010000000000000;
  static constexpr Bits kFirstNonFinite = 0x7ff0000000000000;
  static constexpr Bits kFirstNan = 0x7ff0000000000001;
  static Value value(Bits bits) { return bit_cast<double>(bits); }
};

struct BFloat16Format {
  using Bits = std::int16_t;
  using Value = float;
  static constexpr Bits kMagnitude = 0x7fff;
  static constexpr Bits kMinNormal = 0x0080;
  static constexpr Bits kFirstNonFinite = 0x7f80;
  static constexpr Bits kFirstNan = 0x7f81;
  static Value value(Bits bits) { return bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

// The float32 of a finite number in a format with fewer exponent bits. Subnormals go by way of an integer, because
// a subnormal float32 on the way would be slow on many processors.
template <int kMantissaBits, int kBias>
inline float widen(std::int32_t bits, std::int32_t magnitude) {
  constexpr std::int32_t kMinNormal = 1 << kMantissaBits;
  constexpr std::int32_t kExponentShift = (127 - kBias) << 23;
  constexpr float kQuantum = 1.0f / static_cast<float>(std::int64_t{1} << (kBias - 1 + kMantissaBits));
  const std::int32_t normal = (magnitude << (23 - kMantissaBits)) + kExponentShift;
  const std::int32_t subnormal = bit_cast<std::int32_t>(static_cast<float>(magnitude) * kQuantum);
  const std::int32_t sign = bits & INT32_MIN;
  return bit_cast<float>((magnitude < kMinNormal ? subnormal : normal) | sign);
}

struct Float16Format {
  using Bits = std::int16_t;
  using Value = float;
  static constexpr Bits kMagnitude = 0x7fff;
  static constexpr Bits kMinNormal = 0x0400;
  static constexpr Bits kFirstNonFinite = 0x7c00;
  static constexpr Bits kFirstNan = 0x7c01;
  static Value value(Bits bits) { return widen<10, 15>(bits, bits & kMagnitude); }
};

// No infinities: the largest magnitude is the only NaN.
struct Float8E4M3FNFormat {
  using Bits = std::int8_t;
  using Value = float;
  static constexpr Bits kMagnitude = 0x7f;
  static constexpr Bits kMinNormal = 0x08;
  static constexpr Bits kFirstNonFinite = 0x7f;
  static constexpr Bits kFirstNan = 0x7f;
  static Value value(Bits bits) { return widen<3, 7>(bits, bits & kMagnitude); }
};

struct Float8E5M2Format {
  using Bits = std::int8_t;
  using Value = float;
  static constexpr Bits kMagnitude = 0x7f;
  static constexpr Bits kMinNormal = 0x04;
  static constexpr Bits kFirstNonFinite = 0x7c;
  static constexpr Bits kFirstNan = 0x7d;
  static Value value(Bits bits) { return widen<2, 15>(bits, bits & kMagnitude); }
};

// The bits of a number that the format has; of float16 by an instruction, see `vectors_avx2.h` and `vectors_avx512.h`.
template <class Format>
typename Format::Bits bits_of(float value);

template <>
inline std::int32_t bits_of<Float32Format>(float value) {
  return bit_cast<std::int32_t>(value);
}

template <>
inline std::int16_t bits_of<BFloat16Format>(float value) {
  return static_cast<std::int16_t>(bit_cast<std::int32_t>(value) >> 16);
}

}  // namespace
}  // namespace tensordbg
