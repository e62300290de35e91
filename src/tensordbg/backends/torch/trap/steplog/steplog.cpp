// Notes which operations a training step runs and on what, so that a bad one can be run again without its program.
//
// It is an observer of at::RecordFunction, as that of a recording. Nothing is measured and no result is held: of a tensor
// only its memory's number and its place there are noted. What comes from outside of the step is held until the step has
// ended, and copied where the step writes into it. With the next step all is forgotten, unless somebody takes it; the tables
// stay as they are, so that an operation asks for no memory.
#include "frames.h"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>

#include "autocast.h"
#include "callbacks.h"
#include "compiled_graphs.h"
#include "finite.h"
#include "more.h"
#include "noted_stacks.h"
#include "noting.h"
#include "told.h"

namespace tensordbg_torch {
namespace {

Callbacks g_callbacks;

// Of an operation on wrappers, as under torch.func.grad, one within computes: that is what is differentiated.
std::unique_ptr<at::ObserverContext> wrapping() {
  std::unique_ptr<Context> context(new Context);
  const std::lock_guard<std::mutex> guard(g_mutex);
  context->wraps = true;
  context->window = g_window.load();
  context->entries = g_log.entries.size();
  return context;
}

void note_wrapped(const at::RecordFunction& fn, const Context& context) {
  const std::lock_guard<std::mutex> guard(g_mutex);
  const std::size_t entries = g_log.entries.size();
  const std::int64_t sequence = fn.seqNr();
  if (!g_active.load(std::memory_order_relaxed) || context.window != g_window.load() || entries <= context.entries) return;
  if (static_cast<std::int64_t>(at::sequence_number::peek()) <= sequence) return;
  note_forward(forward_key(fn.threadId(), sequence), context.window, entries - 1);
}

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& fn) {
  Thread& thread = t_thread;
  if (!g_active.load(std::memory_order_relaxed) || thread.closed > 0 || thread.paused > 0) return nullptr;
  try {
    const Operation& operation = operation_of(fn);
    if (!operation.known) return nullptr;
    if (g_resting.load(std::memory_order_relaxed) && !at::GradMode::is_enabled() && !engine_runs()) return nullptr;
    const More& more = more_of(fn, operation);
    const auto inputs = last(fn.inputs(), operation.takes);
    if (more.transparent || wraps(inputs)) {
      note_exchange(operation, inputs);
      return more.transparent || fn.seqNr() < 0 ? nullptr : wrapping();
    }
    std::unique_ptr<Context> context(new Context);
    Entry& entry = context->entry;
    entry.operation = &operation;
    entry.more = &more;
    entry.stack = noted_stack();  // may wait for the interpreter, so without our lock
    entry.autocast = autocast_now();
    entry.grad = at::GradMode::is_enabled();
    if (!thread.nodes.empty()) {
      entry.forward = thread.nodes.back().forward;
      entry.node = thread.nodes.back().number;
    } else if (engine_runs()) {
      entry.forward = -2;
    }
    const std::lock_guard<std::mutex> guard(g_mutex);
    context->window = g_window.load();
    if (more.seeded) entry.state = noted_state(inputs);
    entry.arguments.first = static_cast<std::uint32_t>(g_log.arguments.size());
    entry.arguments.count = static_cast<std::uint32_t>(inputs.size());
    for (std::size_t place = 0; place < inputs.size(); ++place) note_argument(operation, inputs[place], writes(entry, place));
    ++thread.closed;
    return context;
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("an unknown fault");
  }
  return nullptr;
}

void on_end(const at::RecordFunction& fn, at::ObserverContext* plain) {
  if (plain == nullptr) return;
  auto* context = static_cast<Context*>(plain);
  if (context->wraps) return note_wrapped(fn, *context);
  --t_thread.closed;
  if (!g_active.load(std::memory_order_relaxed)) return;
  try {
    const std::lock_guard<std::mutex> guard(g_mutex);
    if (context->window != g_window.load()) return;
    Entry& entry = context->entry;
    const Operation& operation = *entry.operation;
    const auto outputs = last(fn.outputs(), operation.gives);
    if (wraps(outputs)) return;  // nothing was computed, such as where something is compiled
    const std::size_t first = g_log.tensors.size();
    for (const c10::IValue& value : outputs) {
      each_tensor(value, [&](const at::Tensor& tensor, int) { note_result(operation, tensor); });
    }
    entry.results = g_log.from(first);
    const std::int64_t sequence = fn.seqNr();
    if (sequence >= 0 && static_cast<std::int64_t>(at::sequence_number::peek()) > sequence) {
      note_forward(forward_key(fn.threadId(), sequence), context->window, g_log.entries.size());
    }
    add_entry(entry);
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("an unknown fault");
  }
}

std::unique_ptr<at::ObserverContext> on_backward(const at::RecordFunction& fn) {
  std::int64_t forward = -2;
  if (fn.seqNr() >= 0 && g_active.load(std::memory_order_relaxed)) {
    const std::lock_guard<std::mutex> guard(g_mutex);
    const std::uint64_t key = forward_key(fn.forwardThreadId(), fn.seqNr());
    const Forward& found = g_forwards[key % kForwards];
    if (found.key == key && found.window == g_window.load()) forward = found.entry;
  }
  t_thread.nodes.push_back({forward, g_nodes.fetch_add(1)});
  return nullptr;
}

void on_backward_end(const at::RecordFunction&, at::ObserverContext*) {
  if (!t_thread.nodes.empty()) t_thread.nodes.pop_back();
}

PyObject* start(PyObject*, PyObject* tell_fault) {
  Py_INCREF(tell_fault);
  g_fail = tell_fault;  // the one before is kept: a callback may be under way
  g_callbacks.attach({on_start, on_end}, {on_backward, on_backward_end});
  Py_RETURN_NONE;
}

void forget(bool active) {
  g_callbacks.wake();
  {
    const std::lock_guard<std::mutex> other(g_other_mutex);
    {
      const std::lock_guard<std::mutex> guard(g_mutex);
      std::swap(g_other, g_log);
      g_window.fetch_add(1);
      g_active.store(active);
      g_resting.store(false);
    }
    g_other.clear();  // what it held is let go of behind the lock
  }
  t_thread.paused = 0;
}

PyObject* stop(PyObject*, PyObject*) {
  forget(false);
  g_callbacks.detach();
  Py_RETURN_NONE;
}

PyObject* begin(PyObject*, PyObject*) {
  forget(true);
  Py_RETURN_NONE;
}

// What runs meanwhile costs nothing: not even what it is given is gathered for us.
PyObject* sleep(PyObject*, PyObject*) {
  g_callbacks.rest();
  Py_RETURN_NONE;
}

PyObject* wake(PyObject*, PyObject*) {
  g_callbacks.wake();
  Py_RETURN_NONE;
}

// Looks at what lies in this machine's memory, without an operation of PyTorch's.
PyObject* look_for_bad(PyObject*, PyObject* tensors) {
  PyObject* all = PySequence_Fast(tensors, "no tensors");
  if (all == nullptr) return nullptr;
  PyObject* others = PyList_New(0);
  bool finite = true;
  for (Py_ssize_t i = 0; finite && others != nullptr && i < PySequence_Fast_GET_SIZE(all); ++i) {
    PyObject* each = PySequence_Fast_GET_ITEM(all, i);
    const at::Tensor* tensor = THPVariable_Check(each) ? &THPVariable_Unpack(each) : nullptr;
    if (tensor != nullptr && has_elements(*tensor) && is_readable(*tensor)) finite = is_finite(*tensor);
    else if (PyList_Append(others, each) != 0) Py_CLEAR(others);
  }
  Py_DECREF(all);
  return others == nullptr ? nullptr : Py_BuildValue("(NN)", PyBool_FromLong(finite), others);
}

PyObject* rest(PyObject*, PyObject*) {
  g_callbacks.wake();
  g_resting.store(true);
  t_thread.paused = 0;
  Py_RETURN_NONE;
}

PyObject* pause(PyObject*, PyObject*) {
  ++t_thread.paused;
  Py_RETURN_NONE;
}

PyObject* resume(PyObject*, PyObject*) {
  if (t_thread.paused > 0) --t_thread.paused;
  Py_RETURN_NONE;
}

PyMethodDef kMethods[] = {
    {"start", start, METH_O, "(fail): prepares; `begin` begins."},
    {"stop", stop, METH_NOARGS, "Notes nothing from now on."},
    {"begin", begin, METH_NOARGS, "A step begins here: what was noted before is forgotten."},
    {"rest", rest, METH_NOARGS, "A step has ended: up to `begin` nothing is noted that can't be differentiated."},
    {"sleep", sleep, METH_NOARGS, "Notes nothing of any thread up to `wake`, `rest` or `begin`."},
    {"wake", wake, METH_NOARGS, "See `sleep`."},
    {"look_for_bad", look_for_bad, METH_O, "(tensors): whether all numbers are finite; those that can't be read here."},
    {"pause", pause, METH_NOARGS, "Notes nothing of this thread up to as many calls of `resume`."},
    {"resume", resume, METH_NOARGS, "See `pause`."},
    {"enter_compiled", enter_compiled, METH_VARARGS, "(graph, given, written): whether the call is noted, as one."},
    {"leave_compiled", leave_compiled, METH_O, "(results): ends the call of a compiled graph, None where it failed."},
    {"take", take_log, METH_NOARGS, "What the step has done so far."},
    {"locate", locate, METH_VARARGS, "(tensor, add): where it lies in the memories of the step."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "tensordbg_torch_steplog",
                       "Notes what the steps run of the PyTorch that it was built against.", -1, kMethods};

}  // namespace
}  // namespace tensordbg_torch

PyMODINIT_FUNC PyInit_tensordbg_torch_steplog() { return PyModule_Create(&tensordbg_torch::kModule); }
