// `tensordbg._native.watch_buffers`: says which objects of a type are asked for their memory.
//
// NumPy takes an eager tensor's elements through the buffer protocol, which calls no method that Python could replace.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace tensordbg {
namespace {

// All of it is touched with the interpreter's lock held.
PyTypeObject* watched_type = nullptr;
getbufferproc plain = nullptr;
PyObject* awaited = nullptr;
PyObject* told = nullptr;

int get_buffer(PyObject* object, Py_buffer* view, int flags) {
  if (awaited != nullptr && PyDict_GET_SIZE(awaited) > 0) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject* const function = Py_NewRef(told);
    PyObject* const answer = PyObject_CallOneArg(function, object);
    Py_DECREF(function);
    Py_XDECREF(answer);
    PyErr_Restore(type, value, traceback);
  }
  return plain(object, view, flags);
}

void unwatch_buffers() {
  Py_CLEAR(awaited);
  Py_CLEAR(told);
  // Where something else has come before us, ours stays in between and only passes on.
  if (watched_type != nullptr && watched_type->tp_as_buffer->bf_getbuffer == get_buffer) {
    watched_type->tp_as_buffer->bf_getbuffer = plain;
    watched_type = nullptr;
  }
}

bool watch_buffers(nb::handle type, nb::dict some, nb::handle function) {
  unwatch_buffers();
  PyTypeObject* const kind = reinterpret_cast<PyTypeObject*>(type.ptr());
  if (kind->tp_as_buffer == nullptr || kind->tp_as_buffer->bf_getbuffer == nullptr) return false;
  if (watched_type != nullptr && watched_type != kind) return false;
  if (watched_type == nullptr) {
    plain = kind->tp_as_buffer->bf_getbuffer;
    kind->tp_as_buffer->bf_getbuffer = get_buffer;
    watched_type = kind;
  }
  awaited = some.inc_ref().ptr();
  told = function.inc_ref().ptr();
  return true;
}

}  // namespace

void bind_buffer_reads(nb::module_& module) {
  module.def("watch_buffers", &watch_buffers, nb::arg("kind"), nb::arg("awaited"), nb::arg("told"),
             "Calls `told` with each object of a type that is asked for its buffer, while `awaited` is not empty; whether "
             "that can be. There is one such watch in a process.");
  module.def("unwatch_buffers", &unwatch_buffers, "Calls nothing from now on.");
}

}  // namespace tensordbg
