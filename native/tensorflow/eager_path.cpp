#include "tensorflow/eager_path.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "log_binding.h"
#include "tensorflow/eager_tensor.h"

namespace nb = nanobind;

namespace tensordbg {
namespace tensorflow {
namespace {

std::int64_t instruction_of(PyFrameObject* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return PyFrame_GetLasti(frame);
#else
  return frame->f_lasti;
#endif
}

// The reference that a mark, (recorder, reference, site), holds; none of another recorder's, nor of a function's result.
std::optional<std::int64_t> marked(PyObject* mark, PyObject* recorder) {
  if (!PyTuple_CheckExact(mark) || PyTuple_GET_SIZE(mark) != 3 || PyTuple_GET_ITEM(mark, 0) != recorder) return std::nullopt;
  const std::int64_t reference = PyLong_AsLongLong(PyTuple_GET_ITEM(mark, 1));
  const std::int64_t site = PyLong_AsLongLong(PyTuple_GET_ITEM(mark, 2));
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return site < 0 ? std::nullopt : std::optional<std::int64_t>(reference);
}

// The number in a table of numbers; none where it isn't there. Takes `key` over.
std::optional<int> number_in(PyObject* table, PyObject* key) {
  if (key == nullptr) throw nb::python_error();
  PyObject* found = PyDict_GetItemWithError(table, key);
  Py_DECREF(key);
  if (found == nullptr) {
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return std::nullopt;
  }
  return static_cast<int>(PyLong_AsLong(found));
}

}  // namespace

std::size_t fill_stack_key(PyFrameObject* innermost, std::size_t deepest, StackKey* key) {
  std::size_t length = 0;
  PyFrameObject* frame = innermost;
  Py_XINCREF(frame);
  while (frame != nullptr && length < 2 * std::min(deepest, kDeepestStack)) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    (*key)[length++] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(code));
    (*key)[length++] = instruction_of(frame);
    Py_DECREF(code);
    PyFrameObject* outer = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = outer;
  }
  Py_XDECREF(frame);
  return length;
}

EagerRecording eager_recording(const nb::tuple& parts) {
  if (parts.size() != 5) throw nb::type_error("a recording has a type, a name, a recorder, dtypes and devices");
  return {reinterpret_cast<PyTypeObject*>(parts[0].ptr()), parts[1].ptr(), parts[2].ptr(), parts[3].ptr(), parts[4].ptr()};
}

bool add_references(PyObject* values, const EagerRecording& recording, std::vector<std::int64_t>* references, int levels) {
  if (levels == 0) return false;
  if (!PyTuple_CheckExact(values) && !PyList_CheckExact(values)) return false;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(values); ++k) {
    PyObject* value = PySequence_Fast_GET_ITEM(values, k);
    if (Py_TYPE(value) != recording.tensor_type) {
      if (!add_references(value, recording, references, levels - 1)) return false;
      continue;
    }
    const nb::object mark = nb::steal(PyObject_GetAttr(value, recording.name));
    if (!mark.is_valid()) {
      PyErr_Clear();
      return false;
    }
    const std::optional<std::int64_t> reference = marked(mark.ptr(), recording.recorder);
    if (!reference) return false;
    references->push_back(*reference);
  }
  return true;
}

std::optional<TensorAtHand> tensor_at_hand(const EagerRecording& recording, PyObject* tensor) {
  if (Py_TYPE(tensor) != recording.tensor_type) return std::nullopt;
  const EagerTensor held = eager_tensor(tensor);
  if (held.handle == nullptr) return std::nullopt;
  const auto dtype = number_in(recording.dtypes, PyLong_FromLong(held.dtype));
  if (!dtype) return std::nullopt;
  static PyObject* device_name = PyUnicode_InternFromString("device");
  const auto device = number_in(recording.devices, PyObject_GetAttr(tensor, device_name));
  if (!device) return std::nullopt;
  std::optional<TensorAtHand> found(std::in_place);
  found->tensor = tensor;
  found->dtype = static_cast<DType>(*dtype);
  found->device = static_cast<std::uint16_t>(*device);
  found->rank = eager_elements(held, static_cast<int>(found->dims.size()), found->dims.data(), &found->data);
  return found->rank < 0 ? std::nullopt : found;
}

bool append_marked(const EagerRecording& recording, std::int64_t execution, std::uint32_t site, std::uint16_t slot,
                   const TensorAtHand& tensor) {
  const nb::tuple mark = nb::make_tuple(nb::handle(recording.recorder), execution << 16 | slot, site);
  if (PyObject_SetAttr(tensor.tensor, recording.name, mark.ptr()) != 0) throw nb::python_error();
  return append_elements({execution, site, slot, tensor.device}, tensor.dtype, {tensor.data, tensor.rank, tensor.dims.data()});
}

}  // namespace tensorflow

namespace {

using namespace tensorflow;

nb::bytes stack_key(nb::handle innermost, std::size_t deepest) {
  StackKey key;
  auto* frame = PyFrame_Check(innermost.ptr()) ? reinterpret_cast<PyFrameObject*>(innermost.ptr()) : nullptr;
  const std::size_t length = fill_stack_key(frame, deepest, &key);
  return nb::bytes(reinterpret_cast<const char*>(key.data()), length * sizeof(std::int64_t));
}

nb::object marked_references(const nb::tuple& parts, nb::handle values) {
  std::vector<std::int64_t> references;
  if (!add_references(values.ptr(), eager_recording(parts), &references)) return nb::none();
  nb::list found;
  for (const std::int64_t reference : references) found.append(reference);
  return found;
}

std::optional<bool> append_result(const nb::tuple& parts, std::int64_t execution, std::uint32_t site, std::uint16_t slot,
                                  nb::handle tensor) {
  const EagerRecording recording = eager_recording(parts);
  const std::optional<TensorAtHand> found = tensor_at_hand(recording, tensor.ptr());
  if (!found) return std::nullopt;
  return append_marked(recording, execution, site, slot, *found);
}

}  // namespace

void bind_eager_path(nb::module_& module) {
  module.def("stack_key", &stack_key, nb::arg("innermost").none(), nb::arg("deepest"),
             "What tells one Python stack from another: 16 bytes for each of so many frames at most.");
  module.def("marked_references", &marked_references, nb::arg("recording"), nb::arg("values"),
             "The references in the marks of tensors and of lists of tensors; None where one of them is no tensor that an "
             "operation made in this recorder's sight.");
  module.def("find_eager_runtime", &tensorflow::find_eager_runtime, nb::arg("library"),
             "Looks for what `append_marked` needs in TensorFlow's binding at this path; whether all is there.");
  module.def("append_marked", &append_result, nb::arg("recording"), nb::arg("execution"), nb::arg("site"), nb::arg("slot"),
             nb::arg("tensor"),
             "Marks and records a tensor that an operation has given, and says whether it is known not to be finite; None, with "
             "nothing done, where its dtype or device is not among those of `recording`.");
}

}  // namespace tensordbg
