// Sees every operation of PyTorch, in every thread, and writes what it computed into tensordbg's event log.
//
// It is an observer of at::RecordFunction, as PyTorch's own profiler is: it replaces nothing, and it is called without the
// interpreter's lock. A fault in it is kept from the program, and ends the recording.
#include "frames.h"

#include <ATen/record_function.h>

#include "callbacks.h"
#include "compiled_calls.h"
#include "differentiated.h"
#include "failures_told.h"
#include "gpu_begin.h"
#include "inputs.h"
#include "outputs.h"
#include "passing.h"
#include "raised.h"
#include "readers.h"

namespace tensordbg_torch {
namespace {

// Of what one call of Python's runs the debugger is told once, of the first that computes anything.
void tell_before(const at::RecordFunction& fn, const Operation& operation) {
  if (t_thread.told || operation.unwritten || is_closed(t_thread.innermost)) return;
  t_thread.told = true;
  std::vector<at::Tensor> inputs;
  for (const c10::IValue& value : last(fn.inputs(), operation.takes)) {
    each_tensor(value, [&](const at::Tensor& tensor, int) { inputs.push_back(tensor); });
  }
  g_debugger.before(operation.name.c_str(), inputs);
}

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& fn) {
  Thread& thread = t_thread;
  if (g_debugger.waits() && thread.calls++ == 0) thread.told = false;
  if (thread.busy || thread.compiled > 0 || !g_on.load(std::memory_order_relaxed) || g_log->recording() == 0) return nullptr;
  if (thread.raised && std::uncaught_exceptions() == 0) thread.raised = false;
  if (is_closed(thread.innermost)) return nullptr;
  try {
    const Operation& operation = operation_of(fn);
    if (!operation.known || operation.waits || is_carrying_out()) return nullptr;
    const Busy busy(&thread);
    if (operation.passes) {
      const Passing passing = look_at_passing(fn, operation, thread.innermost);
      if (passing != Passing::kNo) return start_passing(fn, operation, passing);
    }
    auto context = std::make_unique<Context>(&operation);
    context->around = thread.innermost;
    context->autocast = autocast_of(context->around);
    context->shapes_only = context->around != nullptr && context->around->shapes_only;
    context->order = g_makers.order();
    if (operation.collective != nullptr) look_at_part(fn, context.get());
    else look_at_inputs(fn, context.get());
    if (context->early) return nullptr;
    if (g_debugger.waits()) tell_before(fn, operation);
    thread.innermost = context.get();
    return context;
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("an unknown fault");
  }
  return nullptr;
}

void on_end(const at::RecordFunction& fn, at::ObserverContext* plain) {
  if (plain == nullptr && !g_debugger.waits()) return;
  Thread& thread = t_thread;
  if (g_debugger.waits() && thread.calls > 0) --thread.calls;
  if (plain == nullptr) return;
  auto* running = static_cast<Running*>(plain);
  auto* context = running->light ? nullptr : static_cast<Context*>(running);
  if (context != nullptr) thread.innermost = context->around;
  if (!g_on.load(std::memory_order_relaxed) || thread.busy) return;
  const Busy busy(&thread);
  try {
    if (context == nullptr) return end_light(fn, *static_cast<Light*>(running));
    if (raises(context->raising)) {
      const bool whole = context->shapes_only && !(context->around != nullptr && context->around->shapes_only);
      if (!thread.raised || whole) note_failure(context);
      return;
    }
    if (context->passes && context->operation->is_view && !context->given.empty()) {
      note_view(fn, &*context->given.front().alive, [&] { return site_of(context); });
    }
    if (!context->passes) look_at_outputs(fn, context);
    note_forward(fn, context);
    if (g_debugger.waits() && !context->runs.empty()) g_debugger.behind(context->runs.front().site, context->runs.front().execution);
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("an unknown fault");
  }
}

Callbacks g_callbacks;

PyObject* start(PyObject*, PyObject* arguments) {
  PyObject *capsule, *describe_site, *varies, *tell_fault, *gradient_is, *base;
  if (!PyArg_ParseTuple(arguments, "OOOOOO!", &capsule, &describe_site, &varies, &tell_fault, &gradient_is, &PyType_Type,
                        &base)) {
    return nullptr;
  }
  const void* table = PyCapsule_GetPointer(capsule, TENSORDBG_LOG_TABLE_NAME);
  if (table == nullptr) return nullptr;
  g_log = static_cast<const TensordbgLogTable*>(table);
  Py_INCREF(describe_site);
  Py_INCREF(varies);
  Py_INCREF(tell_fault);
  Py_INCREF(gradient_is);
  ++g_started;
  g_describe = describe_site;  // those before are kept: a callback may be under way
  g_varies = varies;
  g_fail = tell_fault;
  g_gradient = gradient_is;
  g_makers.clear();
  g_arrivals.clear();
  {
    const std::lock_guard<std::mutex> guard(g_numbers_mutex);
    g_numbers.clear();
    g_infinities.clear();
  }
  {
    const std::lock_guard<std::mutex> guard(g_sites_mutex);
    g_sites.clear();
    g_variants.clear();
  }
  {
    const std::lock_guard<std::mutex> guard(g_reads_mutex);
    g_reads.clear();
  }
  {
    const std::lock_guard<std::mutex> guard(g_late_mutex);
    g_late.clear();
    g_failed_on_gpu.reset();
  }
  for (Forward& each : g_forwards) each.key.store(0);
  g_failures.clear();
  g_recording.fetch_add(1);
  g_cpu.store(g_log->device("cpu"));
  g_step.store(0);
  g_on.store(true);
  g_tensor_type = reinterpret_cast<PyTypeObject*>(base);
  watch_readers(reinterpret_cast<PyTypeObject*>(base), on_read);
  g_callbacks.attach({on_start, on_end}, {on_backward, on_backward_end});
  Py_RETURN_NONE;
}

PyObject* stop(PyObject*, PyObject*) {
  if (g_on.exchange(false)) {
    const Busy busy;
    try {
      g_arrivals.settle_all(arrive);
      g_gpu.settle_all(record_measured);
    } catch (...) {  // it ends anyway
    }
  }
  g_gpu.stop();
  unwatch_readers();
  g_debugger.stop();
  g_callbacks.detach();
  Py_RETURN_NONE;
}

PyObject* rest(PyObject*, PyObject* resting) {
  if (PyObject_IsTrue(resting) == 1) g_callbacks.rest();
  else g_callbacks.wake();
  Py_RETURN_NONE;
}

PyObject* tell_debugger(PyObject*, PyObject* arguments) {
  PyObject *before, *behind;
  if (!PyArg_ParseTuple(arguments, "OO", &before, &behind)) return nullptr;
  g_debugger.start(before, behind);
  Py_RETURN_NONE;
}

// (kernels for each GPU, kind of device) -> whether tensors there are measured from now on.
PyObject* measure_on_gpu(PyObject*, PyObject* arguments) {
  return begin_on_gpu(arguments, [](std::vector<std::string> images, c10::DeviceType kind) {
    return g_gpu.start(std::move(images), kind);
  });
}

PyObject* has_captured(PyObject*, PyObject*) { return PyBool_FromLong(g_gpu.has_captured() ? 1 : 0); }

PyObject* set_step(PyObject*, PyObject* step) {
  g_step.store(PyLong_AsLongLong(step));
  if (PyErr_Occurred() != nullptr) return nullptr;
  Py_RETURN_NONE;
}

PyObject* watch_modules(PyObject*, PyObject* arguments) {
  PyObject *begin, *gives, *gives_many;
  if (!PyArg_ParseTuple(arguments, "OOO", &begin, &gives, &gives_many)) return nullptr;
  g_modules.start(begin, gives, gives_many);
  Py_RETURN_NONE;
}

// What failed in Python is no fault of the program.
PyObject* unless_failed(bool done) {
  if (!done) {
    PyErr_Clear();
    fail("looking at a module");
  }
  Py_RETURN_NONE;
}

PyObject* set_updating(PyObject*, PyObject* updating) {
  t_thread.updating = PyObject_IsTrue(updating) == 1;
  Py_RETURN_NONE;
}

// (tensor, number): it is a variable from now on.
PyObject* add_variable(PyObject*, PyObject* arguments) {
  PyObject* object;
  long long number;
  if (!PyArg_ParseTuple(arguments, "OL", &object, &number)) return nullptr;
  if (!THPVariable_Check(object)) Py_RETURN_NONE;
  const at::Tensor tensor = THPVariable_Unpack(object);
  if (!has_elements(tensor)) Py_RETURN_NONE;
  const Busy busy;
  try {
    g_makers.is_variable(tensor, number);
    if (g_makers.variable_of(tensor) == number && g_log->recording() != 0) enter_variable(tensor, number);
  } catch (...) {
    fail("an unknown fault with a variable");
  }
  Py_RETURN_NONE;
}

PyObject* before_module(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count < 1 || !g_on.load(std::memory_order_relaxed)) Py_RETURN_NONE;
  t_thread.updating = false;
  return unless_failed(g_modules.before(&t_thread.modules, arguments[0]));
}

PyObject* after_module(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count < 3 || !g_on.load(std::memory_order_relaxed)) Py_RETURN_NONE;
  return unless_failed(g_modules.after(&t_thread.modules, &g_makers, arguments[2]));
}

PyObject* in_module(PyObject*, PyObject*) { return PyBool_FromLong(!t_thread.modules.none()); }

// (site, slot) of what made a tensor, or None.
PyObject* maker_of(PyObject*, PyObject* tensor) {
  if (!THPVariable_Check(tensor) || !has_elements(THPVariable_Unpack(tensor))) Py_RETURN_NONE;
  const Known known = find(THPVariable_Unpack(tensor));
  if (known.reference == kUnknown) Py_RETURN_NONE;
  return Py_BuildValue("(IL)", known.site, static_cast<long long>(known.reference & 0xFFFF));
}

// [(reference, site of the reading)] of the bad numbers that the program read.
PyObject* bad_reads(PyObject*, PyObject*) {
  const std::lock_guard<std::mutex> guard(g_reads_mutex);
  PyObject* all = PyList_New(0);
  for (const auto& [reference, site] : g_reads) {
    PyObject* each = Py_BuildValue("(LL)", static_cast<long long>(reference), static_cast<long long>(site));
    if (all == nullptr || each == nullptr || PyList_Append(all, each) != 0) Py_CLEAR(all);
    Py_XDECREF(each);
    if (all == nullptr) return nullptr;
  }
  return all;
}

// [reference] of the bad numbers that the program could still read.
PyObject* bad_held(PyObject*, PyObject*) {
  PyObject* all = PyList_New(0);
  for (const std::int64_t reference : g_makers.bad_alive(is_bad)) {
    PyObject* each = PyLong_FromLongLong(reference);
    if (all == nullptr || each == nullptr || PyList_Append(all, each) != 0) Py_CLEAR(all);
    Py_XDECREF(each);
    if (all == nullptr) return nullptr;
  }
  return all;
}

PyMethodDef kMethods[] = {
    {"start", start, METH_VARARGS, "(log table, describe, varies, fail, gradient, TensorBase): sees all operations from now on."},
    {"stop", stop, METH_NOARGS, "Sees none from now on."},
    {"tell_debugger", tell_debugger, METH_VARARGS, "(before, behind): see debugger.h."},
    {"measure_on_gpu", measure_on_gpu, METH_VARARGS, "(kernels, kind of device): see gpu_health.h."},
    {"has_captured", has_captured, METH_NOARGS, "Whether something was captured into a CUDA graph, which nobody measures."},
    {"set_step", set_step, METH_O, "(step): what runs now belongs to it; nothing is recorded where it is -1."},
    {"rest", rest, METH_O, "(yes or no): sees no operations for a while, or sees them again."},
    {"watch_modules", watch_modules, METH_VARARGS, "(begin, gives, gives_many): whom to ask and tell of modules."},
    {"in_module", in_module, METH_NOARGS, "() -> whether this thread is calling a module."},
    {"before_module", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(before_module)), METH_FASTCALL,
     "(module, arguments): what this thread runs now belongs to this module."},
    {"after_module", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(after_module)), METH_FASTCALL,
     "(module, arguments, result): ... and now to the one around it again."},
    {"set_updating", set_updating, METH_O, "(yes or no): what this thread runs now is an optimizer's step."},
    {"add_variable", add_variable, METH_VARARGS, "(tensor, number): it is a variable from now on."},
    {"maker_of", maker_of, METH_O, "(tensor): site and slot of what made it, or None."},
    {"watch_compiled", watch_compiled, METH_O, "(on_bad): see compiled_calls.h, as of the next."},
    {"enter_compiled", enter_compiled, METH_O, "(inputs) -> (call site, step, [reference]) or None: a call begins."},
    {"run_compiled", run_compiled, METH_O, "(execution): what is stored belongs to it."},
    {"probe", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(probe)), METH_FASTCALL,
     "(site, slot, tensor): a kernel has stored it."},
    {"probe_again", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(probe_again)), METH_FASTCALL,
     "(site, slot, tensor): it was computed again, for a look into a kernel."},
    {"leave_compiled", leave_compiled, METH_VARARGS, "(results, keys, written): the call is over."},
    {"bad_reads", bad_reads, METH_NOARGS, "What was read of bad numbers: pairs of a reference and the reading's site."},
    {"bad_held", bad_held, METH_NOARGS, "References of the bad numbers that are still there."},
    {"known_tensor", known_tensor, METH_O, "(tensor): as of an operation that raised, or None."},
    {"failed_on_gpu", failed_on_gpu, METH_NOARGS, "The operation that failed on a GPU, as in `failures`, or None."},
    {"failures", failures, METH_NOARGS, "Operations that raised, the last one first: see failures_told.h."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "tensordbg_torch_observer",
                       "Sees every operation of the PyTorch that it was built against.", -1, kMethods};

}  // namespace
}  // namespace tensordbg_torch

PyMODINIT_FUNC PyInit_tensordbg_torch_observer() { return PyModule_Create(&tensordbg_torch::kModule); }
