// The health kernel for x86-64 processors with AVX-512 (F, BW, DQ, VL).
#include "health/variant.h"

namespace tensordbg {

bool measure_avx512(const void* data, std::int64_t count, DType dtype, HealthFields* out) {
  return measure_variant(data, count, dtype, out);
}

bool finite_avx512(const void* data, std::int64_t count, DType dtype) { return finite_variant(data, count, dtype); }

bool sketch_avx512(const void* data, std::int64_t count, DType dtype, SketchFields* out) {
  return sketch_variant(data, count, dtype, out);
}

}  // namespace tensordbg
