// What our kernels share: reading a tensor that one is given, asking Python, and failing the operation.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
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

// The interpreter, for a kernel that asks it something. No garbage is collected meanwhile: what the program left behind may
// be a pipeline or a session, and to free it may mean to wait for the very operation that asks.
class Interpreter {
 public:
  Interpreter() {
    if (asking_++ == 0) collects_ = PyGC_Disable() != 0;
  }
  ~Interpreter() {
    if (--asking_ == 0 && collects_) PyGC_Enable();
  }
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

 private:
  const nanobind::gil_scoped_acquire lock_;
  // Of all threads; with the lock.
  static inline int asking_ = 0;
  static inline bool collects_ = false;
};

// What Python gave to be asked, until it is taken back; touched only with the interpreter's lock. At the end of the process
// it is left alone, as there is no interpreter any more.
class Asked {
 public:
  void set(nanobind::object given) {
    const nanobind::object before = nanobind::steal(held_);
    held_ = given.release().ptr();
  }
  void clear() { set(nanobind::object()); }
  bool is_set() const { return held_ != nullptr; }
  // A reference of its own, since it may be taken back while it is called.
  nanobind::object get() const { return nanobind::borrow(held_); }

 private:
  PyObject* held_ = nullptr;
};

inline bool interpreter_ends() {
#if PY_VERSION_HEX >= 0x030D0000
  return !Py_IsInitialized() || Py_IsFinalizing();
#else
  return !Py_IsInitialized() || _Py_IsFinalizing();
#endif
}

inline void fail(tensorflow::TF_OpKernelContext* context, const std::string& message) {
  constexpr int kInvalidArgument = 3;  // TF_INVALID_ARGUMENT
  tensorflow::TF_Status* status = tensorflow::api.NewStatus();
  tensorflow::api.SetStatus(status, kInvalidArgument, message.c_str());
  tensorflow::api.OpKernelContext_Failure(context, status);
  tensorflow::api.DeleteStatus(status);
}

}  // namespace tensordbg
