// What is measured of a tensor, in one pass. The dtype numbers are those of `tensordbg/health/spec.py`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record.h"

namespace tensordbg {

enum class DType : std::uint8_t {
  kUnknown = 0,
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kFloat8E4M3FN,
  kFloat8E5M2,
  kComplex64,
  kComplex128,
  kString,
  kResource,
  kVariant,
};

// Bytes of one element; 0 where the dtype has no fixed size or no health.
std::size_t element_size(DType dtype);

// Measures `count` elements that start at `data`, at any alignment. Returns false, and leaves `out`
// as it is, for a dtype that has no health. Never throws, never allocates, calls nothing of Python; any number of
// threads may call it, in any floating-point environment, which it leaves as it was.
bool measure(const void* data, std::int64_t count, DType dtype, HealthFields* out);

// Whether no element is infinite or NaN, in either part of a complex number; true for a dtype that can hold neither.
// Much faster than `measure`, and otherwise under the same conditions.
bool all_finite(const void* data, std::int64_t count, DType dtype);

// The sketch of `count` elements, in the order in which they lie; false, and `out` as it is, for what are no real numbers
// of floating point. Otherwise under the same conditions.
bool sketch(const void* data, std::int64_t count, DType dtype, SketchFields* out);

// The instruction set chosen for this processor: "avx512", "avx2", "neon" or "portable".
const char* kernel_name();

}  // namespace tensordbg
