// The variants of the health kernel: the same source compiled for one instruction set each. `measure` in
// measure.h takes the best that the processor has; tests and benchmarks may ask for any.
#pragma once

#include <cstdint>

#include "health/measure.h"

namespace tensordbg {

// As `measure` in measure.h, but needs the default floating-point environment.
using MeasureFunction = bool (*)(const void* data, std::int64_t count, DType dtype, HealthFields* out);

// As `all_finite` in measure.h.
using FiniteFunction = bool (*)(const void* data, std::int64_t count, DType dtype);

// As `sketch` there, with the same need.
using SketchFunction = bool (*)(const void* data, std::int64_t count, DType dtype, SketchFields* out);

bool measure_portable(const void* data, std::int64_t count, DType dtype, HealthFields* out);
bool finite_portable(const void* data, std::int64_t count, DType dtype);
bool sketch_portable(const void* data, std::int64_t count, DType dtype, SketchFields* out);
#if defined(TENSORDBG_X86_KERNELS)
bool measure_avx2(const void* data, std::int64_t count, DType dtype, HealthFields* out);
bool measure_avx512(const void* data, std::int64_t count, DType dtype, HealthFields* out);
bool finite_avx2(const void* data, std::int64_t count, DType dtype);
bool finite_avx512(const void* data, std::int64_t count, DType dtype);
bool sketch_avx2(const void* data, std::int64_t count, DType dtype, SketchFields* out);
bool sketch_avx512(const void* data, std::int64_t count, DType dtype, SketchFields* out);
#endif

struct Kernel {
  const char* name;
  MeasureFunction measure;
  FiniteFunction all_finite;
  SketchFunction sketch;
};

constexpr int kMaxKernels = 3;

struct KernelList {
  Kernel kernels[kMaxKernels];  // those that this processor can run, best first
  int size;
};

const KernelList& available_kernels();

// Runs one variant in the default floating-point environment, whatever the calling thread's is.
bool measure_with(const Kernel& kernel, const void* data, std::int64_t count, DType dtype, HealthFields* out);
bool sketch_with(const Kernel& kernel, const void* data, std::int64_t count, DType dtype, SketchFields* out);

}  // namespace tensordbg
