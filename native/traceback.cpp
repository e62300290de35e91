// `tensordbg._native.unseen`: a function whose frames are left out of the tracebacks of what goes through it.
//
// In Python a function can't take itself out of a traceback: its frame is added as the exception leaves it. What is
// made here has no frame of its own, calls the function, and drops the frames of ours with which a traceback begins.
// While a thread is at work of ours it can go by the function, and call what that stands before.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <utility>

#include "structmember.h"

namespace nb = nanobind;

namespace tensordbg {
namespace {

// Whether this thread is at work of ours, and none of the program's.
thread_local bool at_own_work = false;

struct Unseen {
  PyObject_HEAD
  PyObject* function;
  // What is called instead while a thread is at work of ours; null where it is the same.
  PyObject* behind;
  // What the paths of our files begin with.
  PyObject* folder;
  // Says whether the program wants to see all frames.
  PyObject* shows_all;
  vectorcallfunc vectorcall;
};

bool is_ours(PyTracebackObject* traceback, PyObject* folder) {
  PyCodeObject* code = PyFrame_GetCode(traceback->tb_frame);
  const bool ours = PyUnicode_Tailmatch(code->co_filename, folder, 0, PY_SSIZE_T_MAX, -1) == 1;
  Py_DECREF(code);
  return ours;
}

bool wants_all(PyObject* shows_all) {
  PyObject* answer = PyObject_CallNoArgs(shows_all);
  const bool wanted = answer != nullptr && PyObject_IsTrue(answer) == 1;
  Py_XDECREF(answer);
  PyErr_Clear();
  return wanted;
}

// Takes our frames off the traceback of the exception that is on its way.
void drop_frames(const Unseen* self) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (traceback != nullptr && !wants_all(self->shows_all)) {
    PyObject* rest = traceback;
    while (rest != nullptr && is_ours(reinterpret_cast<PyTracebackObject*>(rest), self->folder)) {
      rest = reinterpret_cast<PyObject*>(reinterpret_cast<PyTracebackObject*>(rest)->tb_next);
    }
    Py_XINCREF(rest);
    Py_DECREF(traceback);
    traceback = rest;
    // Without any frame left the exception would keep the traceback that it noted last.
    if (rest == nullptr && value != nullptr && PyExceptionInstance_Check(value)) PyException_SetTraceback(value, Py_None);
  }
  PyErr_Restore(type, value, traceback);
}

PyObject* call(PyObject* object, PyObject* const* arguments, size_t count, PyObject* names) {
  const Unseen* self = reinterpret_cast<const Unseen*>(object);
  PyObject* function = at_own_work && self->behind != nullptr ? self->behind : self->function;
  PyObject* result = PyObject_Vectorcall(function, arguments, count, names);
  if (result == nullptr) drop_frames(self);
  return result;
}

PyObject* bind(PyObject* self, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None) {
    Py_INCREF(self);
    return self;
  }
  return PyMethod_New(self, instance);
}

// It bears the names, and all else, of the function: AutoGraph and signatures go by them. It has no code, so AutoGraph
// doesn't try to convert it.
PyObject* attribute(PyObject* self, PyObject* name) {
  if (PyUnicode_CompareWithASCIIString(name, "__class__") != 0 && PyUnicode_CompareWithASCIIString(name, "__code__") != 0) {
    PyObject* found = PyObject_GetAttr(reinterpret_cast<Unseen*>(self)->function, name);
    if (found != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
    PyErr_Clear();
  }
  return PyObject_GenericGetAttr(self, name);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  return PyObject_SetAttr(reinterpret_cast<Unseen*>(self)->function, name, value);
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  Unseen* self = reinterpret_cast<Unseen*>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->function);
  Py_VISIT(self->behind);
  Py_VISIT(self->shows_all);
  return 0;
}

int clear(PyObject* object) {
  Unseen* self = reinterpret_cast<Unseen*>(object);
  Py_CLEAR(self->function);
  Py_CLEAR(self->behind);
  Py_CLEAR(self->shows_all);
  return 0;
}

void destroy(PyObject* object) {
  PyObject_GC_UnTrack(object);
  PyTypeObject* type = Py_TYPE(object);
  clear(object);
  Py_CLEAR(reinterpret_cast<Unseen*>(object)->folder);
  type->tp_free(object);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Unseen, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind)},
    {Py_tp_getattro, reinterpret_cast<void*>(attribute)},
    {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {
    "tensordbg._native.Unseen", sizeof(Unseen), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, slots};

nb::object unseen(nb::handle function, nb::str folder, nb::handle shows_all, nb::handle behind) {
  static PyTypeObject* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (type == nullptr) throw nb::python_error();
  Unseen* made = PyObject_GC_New(Unseen, type);
  if (made == nullptr) throw nb::python_error();
  made->function = function.inc_ref().ptr();
  made->behind = behind.is_none() ? nullptr : behind.inc_ref().ptr();
  made->folder = folder.inc_ref().ptr();
  made->shows_all = shows_all.inc_ref().ptr();
  made->vectorcall = call;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(made));
  return nb::steal(reinterpret_cast<PyObject*>(made));
}

}  // namespace

void bind_traceback(nb::module_& module) {
  module.def("unseen", &unseen, nb::arg("function"), nb::arg("folder"), nb::arg("shows_all"),
             nb::arg("behind") = nb::none());
  module.def("begin_own_work", [](bool begins) { return std::exchange(at_own_work, begins); }, nb::arg("begins"),
             "Says whether this thread is at work of ours from now on; returns whether it was.");
  module.def("at_own_work", [] { return at_own_work; });
}

}  // namespace tensordbg
