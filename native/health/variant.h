// One variant of the health kernel. Each health_<instruction set>.cpp includes this once and is compiled for its set.
#pragma once

#include "health/complex.h"
#include "health/finite.h"
#include "health/float.h"
#include "health/integer.h"
#include "health/kernels.h"
#include "health/sketch.h"

namespace tensordbg {
namespace {

inline bool measure_variant(const void* start, std::int64_t count, DType dtype, HealthFields* out) {
  const unsigned char* data = static_cast<const unsigned char*>(start);
  HealthFields health = empty_health();
  switch (dtype) {
    case DType::kBool: measure_bool(data, count, &health); break;
    case DType::kInt8: measure_integer<std::int8_t>(data, count, &health); break;
    case DType::kInt16: measure_integer<std::int16_t>(data, count, &health); break;
    case DType::kInt32: measure_integer<std::int32_t>(data, count, &health); break;
    case DType::kInt64: measure_integer<std::int64_t>(data, count, &health); break;
    case DType::kUInt8: measure_integer<std::uint8_t>(data, count, &health); break;
    case DType::kUInt16: measure_integer<std::uint16_t>(data, count, &health); break;
    case DType::kUInt32: measure_integer<std::uint32_t>(data, count, &health); break;
    case DType::kUInt64: measure_integer<std::uint64_t>(data, count, &health); break;
    case DType::kFloat16: measure_float<Float16Format>(data, count, &health); break;
    case DType::kBFloat16: measure_float<BFloat16Format>(data, count, &health); break;
    case DType::kFloat32: measure_float<Float32Format>(data, count, &health); break;
    case DType::kFloat64: measure_float<Float64Format>(data, count, &health); break;
    case DType::kFloat8E4M3FN: measure_float<Float8E4M3FNFormat>(data, count, &health); break;
    case DType::kFloat8E5M2: measure_float<Float8E5M2Format>(data, count, &health); break;
    case DType::kComplex64: measure_complex<Float32Format>(data, count, &health); break;
    case DType::kComplex128: measure_complex<Float64Format>(data, count, &health); break;
    default: return false;
  }
  *out = health;
  return true;
}

}  // namespace
}  // namespace tensordbg
