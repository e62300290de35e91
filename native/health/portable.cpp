// The health kernel for any processor. On 64-bit Arm the compiler may always use NEON, so this is the NEON variant.
#include "health/variant.h"

namespace tensordbg {

bool measure_portable(const void* data, std::int64_t count, DType dtype, HealthFields* out) {
  return measure_variant(data, count, dtype, out);
}

bool finite_portable(const void* data, std::int64_t count, DType dtype) { return finite_variant(data, count, dtype); }

bool sketch_portable(const void* data, std::int64_t count, DType dtype, SketchFields* out) {
  return sketch_variant(data, count, dtype, out);
}

}  // namespace tensordbg
