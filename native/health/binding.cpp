// `tensordbg._native.measure` and its companions. `src/tensordbg/health/native.py` makes NumPy arrays of every
// dtype fit for it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "health/kernels.h"

namespace nb = nanobind;

namespace tensordbg {
namespace {

// Measuring fewer bytes takes less time than handing over the interpreter's lock.
constexpr Py_ssize_t kBytesToReleaseLock = 65536;

// A C-contiguous view of an object's bytes.
class BufferView {
 public:
  explicit BufferView(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  ~BufferView() { PyBuffer_Release(&view_); }
  BufferView(const BufferView&) = delete;
  BufferView& operator=(const BufferView&) = delete;

  const void* data() const { return view_.buf; }
  Py_ssize_t size() const { return view_.len; }

 private:
  Py_buffer view_;
};

const Kernel& kernel_called(const std::optional<std::string>& name) {
  const KernelList& list = available_kernels();
  if (!name) return list.kernels[0];
  for (int i = 0; i < list.size; ++i) {
    if (*name == list.kernels[i].name) return list.kernels[i];
  }
  throw nb::value_error(("this processor has no health kernel '" + *name + "'; see kernels()").c_str());
}

DType dtype_numbered(int number) {
  const bool known = number >= 0 && number <= static_cast<int>(DType::kVariant);
  const DType dtype = known ? static_cast<DType>(number) : DType::kUnknown;
  if (element_size(dtype) == 0) {
    throw nb::value_error(("dtype number " + std::to_string(number) + " has no health").c_str());
  }
  return dtype;
}

using HealthTuple = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                               std::int64_t, double, double, double, double>;

HealthTuple measure_buffer(nb::handle buffer, int dtype_number, std::int64_t count,
                           const std::optional<std::string>& kernel_name) {
  const DType dtype = dtype_numbered(dtype_number);
  const Kernel& kernel = kernel_called(kernel_name);
  const BufferView view(buffer);
  const std::int64_t capacity = view.size() / static_cast<std::int64_t>(element_size(dtype));
  if (count < 0 || count > capacity) {
    throw nb::value_error(("count is " + std::to_string(count) + ", but the buffer holds " +
                           std::to_string(capacity) + " elements").c_str());
  }
  HealthFields health;
  if (view.size() >= kBytesToReleaseLock) {
    const nb::gil_scoped_release release;
    measure_with(kernel, view.data(), count, dtype, &health);
  } else {
    measure_with(kernel, view.data(), count, dtype, &health);
  }
  return {health.negative, health.zero,      health.neg_inf, health.pos_inf, health.nan,        health.subnormal,
          health.first_bad, health.min, health.max,     health.sum,     health.sum_squares};
}

using SketchTuple = std::tuple<double, double, double, double, double>;

SketchTuple sketch_buffer(nb::handle buffer, int dtype_number, const std::optional<std::string>& kernel_name) {
  const DType dtype = dtype_numbered(dtype_number);
  const BufferView view(buffer);
  SketchFields found;
  const std::int64_t count = view.size() / static_cast<std::int64_t>(element_size(dtype));
  if (!sketch_with(kernel_called(kernel_name), view.data(), count, dtype, &found)) {
    throw nb::value_error(("dtype number " + std::to_string(dtype_number) + " has no sketch").c_str());
  }
  return {found.magnitudes, found.sums[0], found.sums[1], found.sums[2], found.sums[3]};
}

bool finite_buffer(nb::handle buffer, int dtype_number, const std::optional<std::string>& kernel_name) {
  const DType dtype = dtype_numbered(dtype_number);
  const Kernel& kernel = kernel_called(kernel_name);
  const BufferView view(buffer);
  const std::int64_t count = view.size() / static_cast<std::int64_t>(element_size(dtype));
  if (view.size() < kBytesToReleaseLock) return kernel.all_finite(view.data(), count, dtype);
  const nb::gil_scoped_release release;
  return kernel.all_finite(view.data(), count, dtype);
}

nb::list kernel_names() {
  nb::list names;
  const KernelList& list = available_kernels();
  for (int i = 0; i < list.size; ++i) names.append(list.kernels[i].name);
  return names;
}

std::size_t numbered_element_size(int number) {
  const bool known = number >= 0 && number <= static_cast<int>(DType::kVariant);
  return known ? element_size(static_cast<DType>(number)) : 0;
}

}  // namespace

void bind_health(nb::module_& module) {
  module.def("measure", &measure_buffer, nb::arg("buffer"), nb::arg("dtype_number"), nb::arg("count"),
             nb::arg("kernel") = nb::none(),
             "Health of the first `count` elements of a C-contiguous buffer of any alignment, as (negative, zero,\n"
             "neg_inf, pos_inf, nan, subnormal, first_bad, min, max, sum, sum_squares). `kernel` is one of\n"
             "kernels(), by default the best.");
  module.def("all_finite", &finite_buffer, nb::arg("buffer"), nb::arg("dtype_number"),
             nb::arg("kernel") = nb::none(),
             "Whether a C-contiguous buffer holds neither an infinity nor a NaN; true for a dtype that has neither.");
  module.def("sketch", &sketch_buffer, nb::arg("buffer"), nb::arg("dtype_number"), nb::arg("kernel") = nb::none(),
             "The sum of the magnitudes of a C-contiguous buffer of floating-point numbers, and four sums that depend on\n"
             "their order.");
  module.def("kernel_name", &kernel_name, "The kernel that measure() uses by default.");
  module.def("kernels", &kernel_names, "Names of the kernels that this processor can run, best first.");
  module.def("element_size", &numbered_element_size, nb::arg("dtype_number"),
             "Bytes of an element of a dtype, 0 where it has no health.");
}

}  // namespace tensordbg
