// The health kernel for x86-64 processors with AVX2, FMA and F16C.
#include "health/variant.h"

namespace tensordbg {

bool measure_avx2(const void* data, std::int64_t count, DType dtype, HealthFields* out) {
  return measure_variant(data, count, dtype, out);
}

bool finite_avx2(const void* data, std::int64_t count, DType dtype) { return finite_variant(data, count, dtype); }

bool sketch_avx2(const void* data, std::int64_t count, DType dtype, SketchFields* out) {
  return sketch_variant(data, count, dtype, out);
}

}  // namespace tensordbg
