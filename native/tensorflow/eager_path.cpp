// What is asked about each eager operation, while the program waits: where it stands in the program, and which recorded
// tensors it takes. In Python both would take longer than many an operation itself.
#include <Python.h>
#include <frameobject.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "log_binding.h"
#include "tensorflow/eager_tensor.h"

namespace nb = nanobind;

namespace tensordbg {
namespace {

constexpr std::size_t kDeepest = 1024;
// As many as TensorFlow's shapes can have.
constexpr int kMostDims = 254;

std::int64_t instruction_of(PyFrameObject* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return PyFrame_GetLasti(frame);
#else
  return frame->f_lasti;
#endif
}

// Identities of the code objects and the places in them, the innermost first, of so many frames at most.
nb::bytes stack_key(nb::handle innermost, std::size_t deepest) {
  std::array<std::int64_t, 2 * kDeepest> key;
  std::size_t length = 0;
  PyFrameObject* frame = PyFrame_Check(innermost.ptr()) ? reinterpret_cast<PyFrameObject*>(innermost.inc_ref().ptr()) : nullptr;
  while (frame != nullptr && length < 2 * std::min(deepest, kDeepest)) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    key[length++] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(code));
    key[length++] = instruction_of(frame);
    Py_DECREF(code);
    PyFrameObject* outer = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = outer;
  }
  Py_XDECREF(frame);
  return nb::bytes(reinterpret_cast<const char*>(key.data()), length * sizeof(std::int64_t));
}

// The reference that a mark, (recorder, reference, site), holds; none of another recorder's, nor of a function's result.
std::optional<std::int64_t> marked(PyObject* mark, PyObject* recorder) {
  if (!PyTuple_CheckExact(mark) || PyTuple_GET_SIZE(mark) != 3 || PyTuple_GET_ITEM(mark, 0) != recorder) return std::nullopt;
  const std::int64_t reference = PyLong_AsLongLong(PyTuple_GET_ITEM(mark, 1));
  const std::int64_t site = PyLong_AsLongLong(PyTuple_GET_ITEM(mark, 2));
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return site < 0 ? std::nullopt : std::optional<std::int64_t>(reference);
}

// Whether all of `values`, which hold tensors and lists of them, are tensors that bear a mark; their references are added.
bool add_references(PyObject* values, PyTypeObject* tensor_type, PyObject* name, PyObject* recorder, nb::list& references,
                    int levels = 2) {
  if (levels == 0) return false;
  if (!PyTuple_CheckExact(values) && !PyList_CheckExact(values)) return false;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(values); ++k) {
    PyObject* value = PySequence_Fast_GET_ITEM(values, k);
    if (Py_TYPE(value) != tensor_type) {
      if (!add_references(value, tensor_type, name, recorder, references, levels - 1)) return false;
      continue;
    }
    const nb::object mark = nb::steal(PyObject_GetAttr(value, name));
    if (!mark.is_valid()) {
      PyErr_Clear();
      return false;
    }
    const std::optional<std::int64_t> reference = marked(mark.ptr(), recorder);
    if (!reference) return false;
    references.append(*reference);
  }
  return true;
}

nb::object marked_references(nb::handle values, nb::handle tensor_type, nb::handle name, nb::handle recorder) {
  nb::list references;
  auto* type = reinterpret_cast<PyTypeObject*>(tensor_type.ptr());
  if (!add_references(values.ptr(), type, name.ptr(), recorder.ptr(), references)) return nb::none();
  return references;
}

// What `append_marked` needs in each recording: (type of eager tensors, name of the mark, recorder, {TensorFlow's number of a
// dtype: the trace's}, {name of a device: the trace's number}). Dtypes and devices that are not there are not for it.
struct Recording {
  PyTypeObject* tensor_type;
  PyObject *name, *recorder, *dtypes, *devices;
};

Recording recording_of(const nb::tuple& parts) {
  if (parts.size() != 5) throw nb::type_error("a recording has a type, a name, a recorder, dtypes and devices");
  return {reinterpret_cast<PyTypeObject*>(parts[0].ptr()), parts[1].ptr(), parts[2].ptr(), parts[3].ptr(), parts[4].ptr()};
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

// Marks and records a tensor that an operation has given, if its elements lie where they can be measured at once; says
// whether it is known not to be finite, and nothing where it was left alone.
std::optional<bool> append_marked(const nb::tuple& parts, std::int64_t execution, std::uint32_t site, std::uint16_t slot,
                                  nb::handle tensor) {
  const Recording recording = recording_of(parts);
  if (Py_TYPE(tensor.ptr()) != recording.tensor_type) return std::nullopt;
  const tensorflow::EagerTensor held = tensorflow::eager_tensor(tensor.ptr());
  if (held.handle == nullptr) return std::nullopt;
  const auto dtype = number_in(recording.dtypes, PyLong_FromLong(held.dtype));
  if (!dtype) return std::nullopt;
  static PyObject* device_name = PyUnicode_InternFromString("device");
  const auto device = number_in(recording.devices, PyObject_GetAttr(tensor.ptr(), device_name));
  if (!device) return std::nullopt;
  std::array<std::int64_t, kMostDims> dims;
  const void* data = nullptr;
  const int rank = tensorflow::eager_elements(held, kMostDims, dims.data(), &data);
  if (rank < 0) return std::nullopt;
  const nb::tuple mark = nb::make_tuple(nb::handle(recording.recorder), execution << 16 | slot, site);
  if (PyObject_SetAttr(tensor.ptr(), recording.name, mark.ptr()) != 0) throw nb::python_error();
  return append_elements({execution, site, slot, static_cast<std::uint16_t>(*device)}, static_cast<DType>(*dtype),
                         {data, rank, dims.data()});
}

}  // namespace

void bind_eager_path(nb::module_& module) {
  module.def("stack_key", &stack_key, nb::arg("innermost").none(), nb::arg("deepest"),
             "What tells one Python stack from another: 16 bytes for each of so many frames at most.");
  module.def("marked_references", &marked_references, nb::arg("values"), nb::arg("tensor_type"), nb::arg("name"),
             nb::arg("recorder"),
             "The references in the marks, attributes of that name, of tensors and of lists of tensors; None where one of "
             "them is no tensor that an operation made in this recorder's sight.");
  module.def("find_eager_runtime", &tensorflow::find_eager_runtime, nb::arg("library"),
             "Looks for what `append_marked` needs in TensorFlow's binding at this path; whether all is there.");
  module.def("append_marked", &append_marked, nb::arg("recording"), nb::arg("execution"), nb::arg("site"), nb::arg("slot"),
             nb::arg("tensor"),
             "Marks and records a tensor that an operation has given, and says whether it is known not to be finite; None, with "
             "nothing done, where its dtype or device is not among those of `recording`.");
}

}  // namespace tensordbg
