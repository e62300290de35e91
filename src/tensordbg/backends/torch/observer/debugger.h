// Tells a debugger of operations, and has a thread raise what the debugger answers: an observer itself can't.
#pragma once

#include "interpreter.h"

#include <torch/csrc/autograd/python_variable.h>

#include <atomic>

namespace tensordbg_torch {

class Debugger {
 public:
  // (name, [inputs]) and (site, execution), each giving None or an exception's class; kept, as a callback may be under way.
  void start(PyObject* before, PyObject* behind) {
    Py_INCREF(before);
    Py_INCREF(behind);
    before_.store(before);
    behind_.store(behind);
  }

  void stop() {
    before_.store(nullptr);
    behind_.store(nullptr);
  }

  bool waits() const { return before_.load(std::memory_order_relaxed) != nullptr; }

  void before(const char* name, const std::vector<at::Tensor>& inputs) {
    if (interpreter_ends()) return;
    const Interpreter held;
    PyObject* list = PyList_New(0);
    for (const at::Tensor& each : inputs) {
      PyObject* one = list == nullptr ? nullptr : THPVariable_Wrap(each);
      if (one == nullptr || PyList_Append(list, one) != 0) PyErr_Clear();
      Py_XDECREF(one);
    }
    PyObject* function = before_.load();
    if (function != nullptr && list != nullptr) follow(PyObject_CallFunction(function, "sO", name, list));
    Py_XDECREF(list);
  }

  void behind(std::int64_t site, std::int64_t execution) {
    if (interpreter_ends()) return;
    const Interpreter held;
    PyObject* function = behind_.load();
    if (function == nullptr) return;
    follow(PyObject_CallFunction(function, "LL", static_cast<long long>(site), static_cast<long long>(execution)));
  }

 private:
  // The thread raises as soon as it runs Python code again.
  static void follow(PyObject* answer) {
    if (answer == nullptr) PyErr_Clear();
    else if (PyExceptionClass_Check(answer)) PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), answer);
    Py_XDECREF(answer);
  }

  std::atomic<PyObject*> before_{nullptr};
  std::atomic<PyObject*> behind_{nullptr};
};

inline Debugger g_debugger;

}  // namespace tensordbg_torch
