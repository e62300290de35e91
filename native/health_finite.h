// Whether all elements of an array are finite: the one question that is asked of every tensor while a program is
// checked. It reads each element once and counts nothing.
#pragma once

#include "health_block.h"
#include "health_formats.h"

namespace tensordbg {
namespace {

template <class Format>
bool finite_numbers(const unsigned char* data, std::int64_t count) {
  using Bits = typename Format::Bits;
  constexpr std::int64_t kBlock = kBlockBytes / static_cast<std::int64_t>(sizeof(Bits));
  for (std::int64_t start = 0; start < count; start += kBlock) {
    const unsigned char* block = data + start * static_cast<std::int64_t>(sizeof(Bits));
    const std::int64_t size = smaller(kBlock, count - start);
    Bits largest = 0;
    for (std::int64_t i = 0; i < size; ++i) {
      const Bits magnitude = load<Bits>(block, i) & Format::kMagnitude;
      largest = magnitude > largest ? magnitude : largest;
    }
    if (largest >= Format::kFirstNonFinite) return false;
  }
  return true;
}

inline bool finite_variant(const void* start, std::int64_t count, DType dtype) {
  const unsigned char* data = static_cast<const unsigned char*>(start);
  switch (dtype) {
    case DType::kFloat16: return finite_numbers<Float16Format>(data, count);
    case DType::kBFloat16: return finite_numbers<BFloat16Format>(data, count);
    case DType::kFloat32: return finite_numbers<Float32Format>(data, count);
    case DType::kFloat64: return finite_numbers<Float64Format>(data, count);
    case DType::kFloat8E4M3FN: return finite_numbers<Float8E4M3FNFormat>(data, count);
    case DType::kFloat8E5M2: return finite_numbers<Float8E5M2Format>(data, count);
    case DType::kComplex64: return finite_numbers<Float32Format>(data, 2 * count);
    case DType::kComplex128: return finite_numbers<Float64Format>(data, 2 * count);
    default: return true;
  }
}

}  // namespace
}  // namespace tensordbg
