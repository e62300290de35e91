// What is recorded of a call of a graph that torch.compile has made: its inputs, what its kernels stored, its results.
//
// Code that tensordbg puts into the generated wrapper calls `probe` behind each kernel. Nothing else is seen in the thread
// meanwhile: an extern kernel is an operation of PyTorch too, and would be recorded twice.
#pragma once

#include "entering.h"
#include "inputs.h"

namespace tensordbg_torch {

struct CompiledCall {
  std::int64_t execution = -1;
  c10::SmallVector<std::int64_t, 2> bad;  // site << 16 | slot
};
inline thread_local std::vector<CompiledCall> t_compiled;
inline PyObject* g_on_bad = nullptr;  // (execution, site, slot)

inline bool is_tensor(PyObject* object) { return g_tensor_type != nullptr && PyObject_TypeCheck(object, g_tensor_type); }

inline bool is_compiled_call() { return !t_compiled.empty(); }

// (inputs) -> (call site, step, [reference]), or None where it is not recorded; `leave_compiled` must follow.
inline PyObject* enter_compiled(PyObject*, PyObject* inputs) {
  const bool recorded = g_on.load(std::memory_order_relaxed) && !t_thread.busy && g_log->recording() != 0 && g_step.load() >= 0;
  t_compiled.emplace_back();
  ++t_thread.compiled;
  if (!recorded) Py_RETURN_NONE;
  const Busy busy;
  static const char* const kCall = "";
  PyObject* all = PySequence_Fast(inputs, "the inputs are no sequence");
  if (all == nullptr) return nullptr;
  PyObject* references = PyList_New(0);
  try {
    Context context(nullptr);
    // Where a graph of a backward pass is called is no gradient of anything.
    t_thread.nodes.emplace_back();
    const std::int64_t site = site_of(kCall, stack_of(&context), 0, -1);
    for (Py_ssize_t i = 0; references != nullptr && i < PySequence_Fast_GET_SIZE(all); ++i) {
      PyObject* each = PySequence_Fast_GET_ITEM(all, i);
      Known known;
      if (is_tensor(each)) {
        const at::Tensor& tensor = THPVariable_Unpack(each);
        if (has_elements(tensor)) {
          known = g_makers.find(tensor);
          if (known.from_outside) known = enter(tensor, &context, static_cast<int>(i));
        }
      }
      PyObject* reference = PyLong_FromLongLong(known.reference);
      if (reference == nullptr || PyList_Append(references, reference) != 0) Py_CLEAR(references);
      Py_XDECREF(reference);
    }
    t_thread.nodes.pop_back();
    Py_DECREF(all);
    if (references == nullptr) return nullptr;
    if (site < 0) {
      Py_DECREF(references);
      Py_RETURN_NONE;
    }
    return Py_BuildValue("(LLN)", static_cast<long long>(site), static_cast<long long>(g_step.load()), references);
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

// (execution): what the innermost call stores from now on belongs to it.
inline PyObject* run_compiled(PyObject*, PyObject* execution) {
  if (is_compiled_call()) t_compiled.back().execution = PyLong_AsLongLong(execution);
  if (PyErr_Occurred() != nullptr) return nullptr;
  Py_RETURN_NONE;
}

// Records what an operation of the innermost call gave; returns whether it is known not to be finite, null after an error.
inline const bool* record_compiled(PyObject* const* arguments, Py_ssize_t count) {
  static const bool yes = true, no = false;
  if (!is_compiled_call() || t_compiled.back().execution < 0 || !g_on.load(std::memory_order_relaxed)) return &no;
  if (count != 3 || !is_tensor(arguments[2])) return &no;
  const std::int64_t site = PyLong_AsLongLong(arguments[0]);
  const std::int64_t slot = PyLong_AsLongLong(arguments[1]);
  if (PyErr_Occurred() != nullptr) return nullptr;
  try {
    const at::Tensor& tensor = THPVariable_Unpack(arguments[2]);
    if (!has_elements(tensor)) return &no;
    return append(tensor, t_compiled.back().execution, static_cast<std::uint32_t>(site), static_cast<std::uint16_t>(slot))
               ? &yes
               : &no;
  } catch (const std::exception& error) {
    fail(error.what());
  }
  return &no;
}

// (site, slot, tensor): a kernel has stored it.
inline PyObject* probe(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  const bool* bad = record_compiled(arguments, count);
  if (bad == nullptr) return nullptr;
  if (*bad) {
    const std::int64_t site = PyLong_AsLongLong(arguments[0]), slot = PyLong_AsLongLong(arguments[1]);
    t_compiled.back().bad.push_back(site << 16 | slot);
    PyObject* done = PyObject_CallFunction(g_on_bad, "LLL", static_cast<long long>(t_compiled.back().execution),
                                           static_cast<long long>(site), static_cast<long long>(slot));
    if (done == nullptr) PyErr_Clear();
    Py_XDECREF(done);
  }
  Py_RETURN_NONE;
}

// (site, slot, tensor): it was computed again, to see what a kernel keeps to itself.
inline PyObject* probe_again(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (record_compiled(arguments, count) == nullptr) return nullptr;
  Py_RETURN_NONE;
}

// (results, keys, written): the innermost call is over; of each result what made it, site << 16 | slot, or -1 for an input.
// The last ones, `written`, are inputs that it has written.
inline PyObject* leave_compiled(PyObject*, PyObject* arguments) {
  PyObject *results, *keys;
  Py_ssize_t written;
  if (!PyArg_ParseTuple(arguments, "OO!n", &results, &PyTuple_Type, &keys, &written)) return nullptr;
  if (!is_compiled_call()) Py_RETURN_NONE;
  const CompiledCall call = std::move(t_compiled.back());
  t_compiled.pop_back();
  --t_thread.compiled;
  if (call.execution < 0 || !g_on.load(std::memory_order_relaxed) || results == Py_None) Py_RETURN_NONE;
  PyObject* all = PySequence_Fast(results, "the results are no sequence");
  if (all == nullptr) return nullptr;
  const Py_ssize_t count = std::min(PySequence_Fast_GET_SIZE(all), PyTuple_GET_SIZE(keys));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* each = PySequence_Fast_GET_ITEM(all, i);
    const std::int64_t key = PyLong_AsLongLong(PyTuple_GET_ITEM(keys, i));
    if (key < 0 || !is_tensor(each)) continue;
    const at::Tensor& tensor = THPVariable_Unpack(each);
    if (!has_elements(tensor)) continue;
    const bool bad = std::find(call.bad.begin(), call.bad.end(), key) != call.bad.end();
    const Maker maker{call.execution << 16 | i, static_cast<std::uint32_t>(key >> 16), 0, bad};
    if (i < count - written) g_makers.made(tensor, maker);
    else g_makers.made_in_memory(tensor, maker);
  }
  Py_DECREF(all);
  if (PyErr_Occurred() != nullptr) return nullptr;
  Py_RETURN_NONE;
}

// (on_bad): is told of what is not finite while its kernel's inputs are still there.
inline PyObject* watch_compiled(PyObject*, PyObject* on_bad) {
  Py_INCREF(on_bad);
  g_on_bad = on_bad;  // the one before is kept: a call may be under way
  Py_RETURN_NONE;
}

}  // namespace tensordbg_torch
