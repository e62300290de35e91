// Notes the call of a graph that torch.compile has made, as one entry.
#pragma once

#include "frames.h"

#include <torch/csrc/autograd/python_variable.h>

#include "noted_stacks.h"
#include "noting.h"

namespace tensordbg_torch {

// The call of a compiled graph, which is one entry: a capture takes it apart. What it is given begins with the graph's number.
inline const Operation& compiled_graph() {
  static const auto* const one = [] {
    auto* made = new Operation;
    made->name = "tensordbg::compiled";
    return made;
  }();
  return *one;
}

inline void note_given(PyObject* given, bool written) {
  if (THPVariable_Check(given)) return note_argument(compiled_graph(), THPVariable_Unpack(given), written);
  const long long number = PyLong_Check(given) ? PyLong_AsLongLong(given) : 0;
  g_log.arguments.emplace_back().value = static_cast<std::int64_t>(number);
}

// (graph, given, places of what it writes): notes nothing of this thread up to `leave_compiled` where it returns True.
inline PyObject* enter_compiled(PyObject*, PyObject* all) {
  static const More none;
  Thread& thread = t_thread;
  PyObject *graph, *given, *written;
  if (!PyArg_ParseTuple(all, "OO!O!", &graph, &PyList_Type, &given, &PySet_Type, &written)) return nullptr;
  const bool rests = g_resting.load() && !at::GradMode::is_enabled() && !engine_runs();
  if (!g_active.load() || rests || thread.closed > 0 || thread.paused > 0) Py_RETURN_FALSE;
  std::unique_ptr<Context> context(new Context);
  Entry& entry = context->entry;
  entry.operation = &compiled_graph();
  entry.more = &none;
  entry.stack = noted_stack();
  const std::lock_guard<std::mutex> guard(g_mutex);
  context->window = g_window.load();
  entry.arguments.first = static_cast<std::uint32_t>(g_log.arguments.size());
  note_given(graph, false);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(given); ++i) {
    PyObject* place = PyLong_FromSsize_t(i);
    note_given(PyList_GET_ITEM(given, i), PySet_Contains(written, place) == 1);
    Py_XDECREF(place);
  }
  entry.arguments.count = static_cast<std::uint32_t>(g_log.arguments.size() - entry.arguments.first);
  ++thread.closed;
  thread.compiled.push_back(std::move(context));
  Py_RETURN_TRUE;
}

// (results): ends it; None where the call has failed.
inline PyObject* leave_compiled(PyObject*, PyObject* results) {
  Thread& thread = t_thread;
  if (thread.compiled.empty()) Py_RETURN_NONE;
  const std::unique_ptr<Context> context = std::move(thread.compiled.back());
  thread.compiled.pop_back();
  --thread.closed;
  const std::lock_guard<std::mutex> guard(g_mutex);
  if (!g_active.load() || context->window != g_window.load() || !PyTuple_Check(results)) Py_RETURN_NONE;
  const std::size_t first = g_log.tensors.size();
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(results); ++i) {
    PyObject* each = PyTuple_GET_ITEM(results, i);
    const bool is_tensor = THPVariable_Check(each) && THPVariable_Unpack(each).defined();
    if (is_tensor && has_elements(THPVariable_Unpack(each))) note_result(compiled_graph(), THPVariable_Unpack(each));
    else g_log.tensors.emplace_back();
  }
  context->entry.results = g_log.from(first);
  add_entry(context->entry);
  Py_RETURN_NONE;
}

}  // namespace tensordbg_torch
