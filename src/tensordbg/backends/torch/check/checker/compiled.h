// What code that torch.compile has made stores: its lines call `probe` behind each kernel.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <torch/csrc/autograd/python_variable.h>

#include "looked_at.h"

namespace tensordbg_torch {

inline PyObject* g_on_stored = nullptr;  // (site, slot, tensor)

inline bool is_stored_finite(const at::Tensor& tensor) {
  if (!has_elements(tensor) || !g_numbers.can_look(tensor)) return true;
  t_thread.busy = true;
  const bool finite = g_numbers.all_finite(tensor);
  t_thread.busy = false;
  return finite;
}

// Takes our frames out of the traceback of the error that is raised.
inline void leave_out_frames() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value != nullptr) PyException_SetTraceback(value, Py_None);
  Py_XDECREF(traceback);
  PyErr_Restore(type, value, nullptr);
}

// (site, slot, tensor): raises what `on_stored` raises of a tensor that is not finite.
inline PyObject* probe(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!g_on.load(std::memory_order_relaxed) || g_on_stored == nullptr || count != 3 || !THPVariable_Check(arguments[2])) Py_RETURN_NONE;
  const at::Tensor& tensor = THPVariable_Unpack(arguments[2]);
  if (is_stored_finite(tensor)) {
    if (has_elements(tensor)) g_states.let_go(tensor);  // its memory may have held what was let pass
    Py_RETURN_NONE;
  }
  PyObject* done = PyObject_CallFunctionObjArgs(g_on_stored, arguments[0], arguments[1], arguments[2], nullptr);
  if (done == nullptr) leave_out_frames();
  return done;
}

inline PyObject* watch_compiled(PyObject*, PyObject* on_stored) {
  Py_INCREF(on_stored);
  g_on_stored = on_stored;  // the one before is kept: a call may be under way
  Py_RETURN_NONE;
}

// (whether): the operations of this thread are looked at no longer, or again.
inline PyObject* look_away(PyObject*, PyObject* whether) {
  t_thread.closed += PyObject_IsTrue(whether) != 0 ? 1 : -1;
  Py_RETURN_NONE;
}

// (tensor, again): what was let pass when it was computed again passes.
inline PyObject* let_pass_as(PyObject*, PyObject* arguments) {
  PyObject *tensor, *again;
  if (!PyArg_ParseTuple(arguments, "OO", &tensor, &again)) return nullptr;
  if (!THPVariable_Check(tensor) || !THPVariable_Check(again)) Py_RETURN_NONE;
  const unsigned passed = g_states.of(THPVariable_Unpack(again));
  g_states.let_go(THPVariable_Unpack(tensor));  // its memory may have held another
  g_states.let_pass(THPVariable_Unpack(tensor), passed);
  Py_RETURN_NONE;
}

// (tensor) -> whether it holds an infinity or NaN.
inline PyObject* is_bad(PyObject*, PyObject* tensor) {
  return PyBool_FromLong(THPVariable_Check(tensor) && !is_stored_finite(THPVariable_Unpack(tensor)));
}

}  // namespace tensordbg_torch
