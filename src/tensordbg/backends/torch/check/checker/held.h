// What is bad and waits for what takes it, which may be no more than a choice, as in `torch.where(p > 0, torch.log(p), 0)`.
#pragma once

#include <algorithm>

#include "autograd.h"
#include "interpreter.h"
#include "looked_at.h"
#include "raising.h"

namespace tensordbg_torch {

inline PyObject* g_taken = nullptr;  // see `raise_held`

// taken(finding, whether it begins a backward pass if it is raised at all, whether Python runs here) -> whether to raise
inline void raise_held(Held number, bool asks_shape) {
  if (interpreter_ends() || about_to_raise()) return;
  const Interpreter held;
  PyThreadState* thread = PyGILState_GetThisThreadState();
  const bool runs_python = thread != nullptr && innermost(thread) != nullptr;
  PyObject* said = PyObject_CallFunction(g_taken, "kOO", number, asks_shape ? Py_True : Py_False,
                                         runs_python ? Py_True : Py_False);
  if (said == Py_True) raise_soon(runs_python);
  Py_XDECREF(said);
  PyErr_Clear();
}

// The finding that waits behind what an operation was given; 0 where there is none.
inline Held held_of(const Context& context, bool written) {
  for (const Given& given : context.given) {
    if (given.written != written) continue;
    auto alive = given.tensor.lock();
    const Held number = alive ? g_states.held(at::Tensor(std::move(alive))) : 0;
    if (number != 0) return number;
  }
  return 0;
}

// Whether an operation took a tensor that is not finite and moved only some of its elements on.
inline bool drops(const Context& context) {
  if (context.operation->kind != Kind::kMoves) return false;
  if (context.operation->name == "aten::where") return true;
  return std::any_of(context.given.begin(), context.given.end(), [](const Given& given) {
    auto alive = given.tensor.lock();
    if (!alive) return false;
    const at::Tensor tensor(std::move(alive));
    return given.written || (g_states.held(tensor) != 0 && !g_numbers.all_finite(tensor));
  });
}

// Whether a finding waits for the end of the node of autograd that runs.
inline bool waits_for_node(Held number) {
  const std::vector<Held>& waiting = t_thread.backward.back().waiting;
  return std::find(waiting.begin(), waiting.end(), number) != waiting.end();
}

// Has what waits go on into what was made of it, or raises it where more than arithmetic has taken it. What a choice
// makes of it is free where it is finite. Returns whether there is such a thing.
inline bool look_at_held(const at::RecordFunction& fn, const Context& context) {
  if (!g_states.holds()) return false;
  const Checked& operation = *context.operation;
  const Held given = held_of(context, false), written = held_of(context, true);
  const Held number = given != 0 ? given : written;
  if (number == 0) return false;
  if (operation.asks_shape) return raise_held(number, true), false;
  std::vector<at::Tensor> outputs;
  for (const c10::IValue& value : last(fn.outputs(), operation.gives)) {
    each_tensor(value, [&](const at::Tensor& tensor, int) {
      if (outputs.empty() || !operation.first_only) outputs.push_back(tensor);
    });
  }
  const auto finite = [](const at::Tensor& tensor) { return g_numbers.all_finite(tensor); };
  const auto counts = [](const at::Tensor& tensor) { return !has_bad_numbers(tensor.scalar_type()); };
  const bool all_finite = std::all_of(outputs.begin(), outputs.end(), finite);
  if (!t_thread.backward.empty()) {
    const bool goes_on = waits_for_node(number);
    if (!all_finite && !goes_on) return raise_held(number, false), true;
    for (const at::Tensor& output : outputs) {
      if (!all_finite) g_states.hold(output, number);
      else if (written != 0) g_states.let_go(output);
    }
    return !all_finite;
  }
  const bool writes = std::any_of(context.given.begin(), context.given.end(), [](const Given& each) { return each.written; });
  const bool dropped = all_finite && drops(context);
  const bool asks = context.infinite_number && operation.kind == Kind::kComputes;  // as `x == inf` does
  const bool other = std::any_of(outputs.begin(), outputs.end(), counts) && !asks;
  const bool adds_gradients = engine_runs();  // of one tensor, from several nodes
  if (operation.reads || other || (writes && written == 0 && !dropped && !adds_gradients)) return raise_held(number, false), true;
  for (const at::Tensor& output : outputs) {
    if (!dropped && !asks) g_states.hold(output, number);
    else if (written != 0) g_states.let_go(output);
  }
  return true;
}

inline void on_read(const at::Tensor& tensor, bool) {
  if (!g_on.load(std::memory_order_relaxed) || !g_states.holds() || !has_elements(tensor)) return;
  if (const Held number = g_states.held(tensor)) raise_held(number, false);
}

}  // namespace tensordbg_torch
