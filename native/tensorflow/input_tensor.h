// A tensor that a kernel is given, for as long as it looks at it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "health/measure.h"
#include "log/strings.h"
#include "tensorflow/api.h"

namespace tensordbg {

constexpr int kInfinite = 1;
constexpr int kNan = 2;

// A tensor, and with it the memory of its elements, for as long as this lives.
class Given {
 public:
  Given(tensorflow::TF_OpKernelContext* context, int index) {
    tensorflow::TF_Status* status = tensorflow::api.NewStatus();
    tensorflow::api.GetInput(context, index, &tensor_, status);
    tensorflow::api.DeleteStatus(status);
  }
  ~Given() {
    if (tensor_ != nullptr) tensorflow::api.DeleteTensor(tensor_);
  }
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;

  bool valid() const { return tensor_ != nullptr; }
  const tensorflow::TF_Tensor* tensor() const { return tensor_; }
  int type() const { return tensorflow::api.TensorType(tensor_); }
  DType dtype() const { return tensorflow::dtype_of(type()); }
  const void* data() const { return tensorflow::api.TensorData(tensor_); }
  std::int64_t size() const {
    std::int64_t size = 1;
    for (int axis = 0; axis < tensorflow::api.NumDims(tensor_); ++axis) size *= tensorflow::api.Dim(tensor_, axis);
    return size;
  }
  std::size_t bytes() const { return tensorflow::api.TensorByteSize(tensor_); }
  bool finite() const { return !valid() || all_finite(data(), size(), dtype()); }
  int kinds() const {
    HealthFields health;
    if (finite() || !measure(data(), size(), dtype(), &health)) return 0;
    return (health.pos_inf + health.neg_inf > 0 ? kInfinite : 0) | (health.nan > 0 ? kNan : 0);
  }
  // (dtype, shape, memory), with the interpreter's lock; of strings lengths and texts in place of the memory.
  nanobind::tuple described() const {
    nanobind::list shape;
    for (int axis = 0; axis < tensorflow::api.NumDims(tensor_); ++axis) shape.append(tensorflow::api.Dim(tensor_, axis));
    if (dtype() == DType::kString) return nanobind::make_tuple(type(), nanobind::tuple(shape), packed());
    static char nothing;
    const auto length = static_cast<Py_ssize_t>(size() * static_cast<std::int64_t>(element_size(dtype())));
    char* memory = length == 0 ? &nothing : static_cast<char*>(const_cast<void*>(data()));
    const nanobind::object view = nanobind::steal(PyMemoryView_FromMemory(memory, length, PyBUF_READ));
    return nanobind::make_tuple(type(), nanobind::tuple(shape), view);
  }

 private:
  // Strings lie in memory of TensorFlow's own; so their lengths, eight bytes each, and behind these all texts.
  nanobind::bytes packed() const {
    const std::int64_t count = size();
    std::vector<char> found(static_cast<std::size_t>(count) * 8);
    for (std::int64_t k = 0; k < count; ++k) {
      const Text text = text_at(data(), k);
      const std::uint64_t length = text.size;
      std::memcpy(found.data() + k * 8, &length, sizeof length);
      found.insert(found.end(), text.data, text.data + text.size);
    }
    return nanobind::bytes(found.data(), found.size());
  }

  tensorflow::TF_Tensor* tensor_ = nullptr;
};

// Whether an operation made its bad number itself. A NaN made of infinities that were let pass counts.
inline bool made_here(int kinds, int from) { return (kinds & kNan) != 0 ? (from & kNan) == 0 : from == 0; }

}  // namespace tensordbg
