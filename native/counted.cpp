// `tensordbg._native.counted`: a function that counts how often it is called, and otherwise only passes calls on.
//
// So eager operations pass between the steps that a budget chooses: a frame of Python for each would be a tenth of some.
#include <Python.h>
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "structmember.h"

namespace nb = nanobind;

namespace tensordbg {
namespace {

struct Counted {
  PyObject_HEAD
  PyObject* function;
  // How often it was called since somebody has set this to 0: an array of one 64-bit number.
  Py_buffer count;
  std::int64_t most;
  // Called, without arguments, when it was called so often.
  PyObject* full;
  // Called with an exception that the function raised, and its arguments.
  PyObject* failed;
  vectorcallfunc vectorcall;
};

// Tells of the exception that is on its way, and leaves it as it is.
void tell_failed(const Counted* self, PyObject* const* arguments, Py_ssize_t given) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr && value != nullptr) PyException_SetTraceback(value, traceback);
  PyObject* told = PyTuple_New(given + 1);
  if (told != nullptr) {
    PyTuple_SET_ITEM(told, 0, Py_NewRef(value == nullptr ? Py_None : value));
    for (Py_ssize_t k = 0; k < given; ++k) PyTuple_SET_ITEM(told, k + 1, Py_NewRef(arguments[k]));
    Py_XDECREF(PyObject_CallObject(self->failed, told));
    Py_DECREF(told);
  }
  PyErr_Clear();
  PyErr_Restore(type, value, traceback);
}

PyObject* call(PyObject* object, PyObject* const* arguments, size_t count, PyObject* names) {
  Counted* self = reinterpret_cast<Counted*>(object);
  // `full` may put something else in the place of this, which then nobody else holds.
  const nb::object held = nb::borrow(object);
  if (++*static_cast<std::int64_t*>(self->count.buf) >= self->most) {
    PyObject* done = PyObject_CallNoArgs(self->full);
    if (done == nullptr) return nullptr;
    Py_DECREF(done);
  }
  PyObject* result = PyObject_Vectorcall(self->function, arguments, count, names);
  if (result == nullptr) tell_failed(self, arguments, PyVectorcall_NARGS(count));
  return result;
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  Counted* self = reinterpret_cast<Counted*>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->function);
  Py_VISIT(self->full);
  Py_VISIT(self->failed);
  return 0;
}

int clear(PyObject* object) {
  Counted* self = reinterpret_cast<Counted*>(object);
  Py_CLEAR(self->function);
  Py_CLEAR(self->full);
  Py_CLEAR(self->failed);
  return 0;
}

void destroy(PyObject* object) {
  PyObject_GC_UnTrack(object);
  PyTypeObject* type = Py_TYPE(object);
  clear(object);
  PyBuffer_Release(&reinterpret_cast<Counted*>(object)->count);
  type->tp_free(object);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Counted, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {"tensordbg._native.Counted", sizeof(Counted), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};

nb::object counted(nb::handle function, nb::handle count, std::int64_t most, nb::handle full, nb::handle failed) {
  static PyTypeObject* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (type == nullptr) throw nb::python_error();
  Py_buffer buffer;
  if (PyObject_GetBuffer(count.ptr(), &buffer, PyBUF_WRITABLE) != 0) throw nb::python_error();
  Counted* made = buffer.len == sizeof(std::int64_t) ? PyObject_GC_New(Counted, type) : nullptr;
  if (made == nullptr) {
    PyBuffer_Release(&buffer);
    throw nb::value_error("calls are counted in an array of one 64-bit number");
  }
  made->function = function.inc_ref().ptr();
  made->count = buffer;
  made->most = most;
  made->full = full.inc_ref().ptr();
  made->failed = failed.inc_ref().ptr();
  made->vectorcall = call;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(made));
  return nb::steal(reinterpret_cast<PyObject*>(made));
}

}  // namespace

void bind_counted(nb::module_& module) {
  module.def("counted", &counted, nb::arg("function"), nb::arg("count"), nb::arg("most"), nb::arg("full"), nb::arg("failed"),
             "A function that counts in `count`, an array of one 64-bit number, how often it is called, calls `full` when that "
             "comes to `most`, and `failed` with an exception of the function and its arguments.");
}

}  // namespace tensordbg
