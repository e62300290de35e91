// Chooses the variant of the health kernel for the processor, once.
#include "health/measure.h"

#include "health/environment.h"
#include "health/kernels.h"

namespace tensordbg {
namespace {

#if defined(__aarch64__)
constexpr const char* kBaselineName = "neon";
#else
constexpr const char* kBaselineName = "portable";
#endif

KernelList find_kernels() {
  KernelList list{};
#if defined(TENSORDBG_X86_KERNELS)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx512) list.kernels[list.size++] = {"avx512", measure_avx512, finite_avx512, sketch_avx512};
  if (avx2) list.kernels[list.size++] = {"avx2", measure_avx2, finite_avx2, sketch_avx2};
#endif
  list.kernels[list.size++] = {kBaselineName, measure_portable, finite_portable, sketch_portable};
  return list;
}

}  // namespace

const KernelList& available_kernels() {
  static const KernelList list = find_kernels();
  return list;
}

const char* kernel_name() { return available_kernels().kernels[0].name; }

bool measure_with(const Kernel& kernel, const void* data, std::int64_t count, DType dtype, HealthFields* out) {
  const DefaultFloatEnvironment environment;
  return kernel.measure(data, count, dtype, out);
}

bool measure(const void* data, std::int64_t count, DType dtype, HealthFields* out) {
  return measure_with(available_kernels().kernels[0], data, count, dtype, out);
}

bool all_finite(const void* data, std::int64_t count, DType dtype) {
  return available_kernels().kernels[0].all_finite(data, count, dtype);
}

bool sketch_with(const Kernel& kernel, const void* data, std::int64_t count, DType dtype, SketchFields* out) {
  const DefaultFloatEnvironment environment;
  return kernel.sketch(data, count, dtype, out);
}

bool sketch(const void* data, std::int64_t count, DType dtype, SketchFields* out) {
  return sketch_with(available_kernels().kernels[0], data, count, dtype, out);
}

std::size_t element_size(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E5M2: return 1;
    case DType::kInt16:
    case DType::kUInt16:
    case DType::kFloat16:
    case DType::kBFloat16: return 2;
    case DType::kInt32:
    case DType::kUInt32:
    case DType::kFloat32: return 4;
    case DType::kInt64:
    case DType::kUInt64:
    case DType::kFloat64:
    case DType::kComplex64: return 8;
    case DType::kComplex128: return 16;
    default: return 0;
  }
}

}  // namespace tensordbg
