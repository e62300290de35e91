// Raises in the program's line what a check found, although an observer may not throw.
//
// The exception is set as an asynchronous one of the thread, which Python raises once the call into C has returned. It
// does not look for one behind an operator such as `a / b`; so the methods behind these, which are written in C, look for
// themselves: the function of each is replaced in its own description, and the class stays as it is.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <array>
#include <utility>

namespace tensordbg_torch {

inline PyObject* g_error = nullptr;  // the class
inline unsigned long g_main_thread = 0;
inline PyObject* g_nothing = nullptr;  // a Python function that does nothing

// Whether this thread is about to raise it.
inline bool about_to_raise() {
  PyThreadState* thread = PyGILState_GetThisThreadState();
  return thread != nullptr && thread->async_exc != nullptr && thread->async_exc == g_error;
}

// The interpreter's lock is held. A thread without any Python code of its own has the main thread raise.
inline void raise_soon(bool runs_python) {
  PyThreadState_SetAsyncExc(runs_python ? PyThread_get_thread_ident() : g_main_thread, g_error);
}

// Python raises what waits for this thread, as it does at the next instruction. Were it taken back instead, Python's sign
// that something waits would stay: it would look at each instruction, and in 3.11 go round for ever under a debugger.
inline void raise_now() {
  PyObject* result = g_nothing == nullptr ? nullptr : PyObject_CallNoArgs(g_nothing);
  if (result == nullptr && PyErr_Occurred() != nullptr) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    Py_XDECREF(traceback);  // the frame is ours
    PyErr_Restore(type, value, nullptr);
    return;
  }
  Py_XDECREF(result);
  PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), nullptr);
  PyErr_SetNone(g_error);
}

inline void make_nothing() {
  PyObject* names = PyDict_New();
  if (names != nullptr) g_nothing = PyRun_String("lambda: None", Py_eval_input, names, names);
  Py_XDECREF(names);
  PyErr_Clear();  // it is done without then
}

constexpr std::array<const char*, 20> kOperators = {"__add__", "__radd__", "__iadd__", "__sub__", "__isub__",
                                                    "__mul__", "__rmul__", "__imul__", "__truediv__", "__div__",
                                                    "__idiv__", "__matmul__", "__mod__", "__imod__",
                                                    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"};
struct Operator {
  PyMethodDef* method = nullptr;
  PyCFunction plain = nullptr;
};
inline std::array<Operator, kOperators.size()> g_operators;

template <std::size_t N>
PyObject* operate(PyObject* self, PyObject* arguments, PyObject* words) {
  const auto plain = reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void (*)()>(g_operators[N].plain));
  PyObject* result = plain(self, arguments, words);
  if (result == nullptr || !about_to_raise()) return result;
  Py_DECREF(result);
  raise_now();
  return nullptr;
}

template <std::size_t N>
void watch_operator(PyTypeObject* base) {
  PyObject* found = PyDict_GetItemString(base->tp_dict, kOperators[N]);
  if (found == nullptr || !PyObject_TypeCheck(found, &PyMethodDescr_Type)) return;
  PyMethodDef* method = reinterpret_cast<PyMethodDescrObject*>(found)->d_method;
  if ((method->ml_flags & (METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O | METH_FASTCALL)) !=
      (METH_VARARGS | METH_KEYWORDS)) {
    return;
  }
  g_operators[N] = {method, method->ml_meth};
  method->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(operate<N>));
}

template <std::size_t... N>
void watch_operators(PyTypeObject* base, std::index_sequence<N...>) {
  (watch_operator<N>(base), ...);
}

// `base` is the class that has the methods, torch._C.TensorBase.
inline void watch_operators(PyTypeObject* base) {
  if (g_nothing == nullptr) make_nothing();
  if (g_operators[0].method == nullptr) watch_operators(base, std::make_index_sequence<kOperators.size()>{});
}

inline void unwatch_operators() {
  for (Operator& each : g_operators) {
    if (each.method != nullptr) each.method->ml_meth = each.plain;
    each.method = nullptr;
  }
}

}  // namespace tensordbg_torch
