// The sketch of real floating-point numbers: the sum of their magnitudes, and four sums that depend on their order.
//
// Each of the four adds the elements up with signs that are drawn by their place. So a permutation of a tensor, of which
// nothing else that is measured tells, changes them by about as much as chance would: by the root of the sum of squares.
#pragma once

#include "health/block.h"
#include "health/formats.h"
#include "health/measure.h"

namespace tensordbg {
namespace {

// The upper four bits are the signs at a place; `reference.py` draws the same.
inline std::uint32_t signs_at(std::uint32_t place) {
  std::uint32_t hash = place * 0x9e3779b1u;
  hash ^= hash >> 16;
  return hash * 0x85ebca6bu;
}

inline float with_sign(float value, std::uint32_t sign) {
  return bit_cast<float>(bit_cast<std::uint32_t>(value) ^ sign);
}

inline double with_sign(double value, std::uint32_t sign) {
  return bit_cast<double>(bit_cast<std::uint64_t>(value) ^ (static_cast<std::uint64_t>(sign) << 32));
}

template <class Format>
void sketch_float(const unsigned char* data, std::int64_t count, SketchFields* out) {
  using Bits = typename Format::Bits;
  using Value = typename Format::Value;
  constexpr std::uint32_t kSign = 0x80000000u;
  double magnitudes = 0.0, sum0 = 0.0, sum1 = 0.0, sum2 = 0.0, sum3 = 0.0;
#pragma omp simd reduction(+ : magnitudes, sum0, sum1, sum2, sum3)
  for (std::int64_t i = 0; i < count; ++i) {
    const Bits bits = load<Bits>(data, i);
    const Bits magnitude = static_cast<Bits>(bits & Format::kMagnitude);
    const bool finite = magnitude < Format::kFirstNonFinite;
    const Value value = Format::value(static_cast<Bits>(finite ? bits : 0));
    const std::uint32_t hash = signs_at(static_cast<std::uint32_t>(i));
    magnitudes += static_cast<double>(Format::value(static_cast<Bits>(finite ? magnitude : 0)));
    sum0 += static_cast<double>(with_sign(value, hash & kSign));
    sum1 += static_cast<double>(with_sign(value, (hash << 1) & kSign));
    sum2 += static_cast<double>(with_sign(value, (hash << 2) & kSign));
    sum3 += static_cast<double>(with_sign(value, (hash << 3) & kSign));
  }
  *out = {magnitudes, {sum0, sum1, sum2, sum3}};
}

inline bool sketch_variant(const void* start, std::int64_t count, DType dtype, SketchFields* out) {
  const unsigned char* data = static_cast<const unsigned char*>(start);
  switch (dtype) {
    case DType::kFloat16: sketch_float<Float16Format>(data, count, out); break;
    case DType::kBFloat16: sketch_float<BFloat16Format>(data, count, out); break;
    case DType::kFloat32: sketch_float<Float32Format>(data, count, out); break;
    case DType::kFloat64: sketch_float<Float64Format>(data, count, out); break;
    case DType::kFloat8E4M3FN: sketch_float<Float8E4M3FNFormat>(data, count, out); break;
    case DType::kFloat8E5M2: sketch_float<Float8E5M2Format>(data, count, out); break;
    default: return false;
  }
  return true;
}

}  // namespace
}  // namespace tensordbg
