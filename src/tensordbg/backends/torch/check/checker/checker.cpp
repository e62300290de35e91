// Looks at what every operation of PyTorch puts out, in every thread, and has Python raise at the first bad number.
//
// It is an observer of at::RecordFunction, as that of a recording, but keeps nothing: each output is read once. Only a
// bad one has Python, with the interpreter's lock, look at the inputs and make the message.
#include "frames.h"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "autograd.h"
#include "callbacks.h"
#include "compiled.h"
#include "gpu_begin.h"
#include "held.h"
#include "interpreter.h"
#include "looked_at.h"
#include "noted_stacks.h"
#include "raising.h"
#include "readers.h"

namespace tensordbg_torch {
namespace {

PyObject* g_judge = nullptr;  // see `ask`
PyObject* g_fail = nullptr;   // (message)
constexpr long kRaise = -1;  // what `judge` says, else what is to pass, and above that the number of what waits

// Where the operation stood that a node of autograd differentiates, by thread and sequence number.
struct Forward {
  std::atomic<std::uint64_t> key{0};
  std::atomic<std::uint64_t> stack{0};
  std::atomic<const Checked*> operation{nullptr};
};
Forward g_forwards[kForwards];

struct Busy {
  Busy() { t_thread.busy = true; }
  ~Busy() { t_thread.busy = false; }
};

void fail(const char* what) {
  if (g_on.exchange(false)) tell(g_fail, what);
}

void take_inputs(const at::RecordFunction& fn, Context* context, bool* wraps) {
  const Checked& operation = *context->operation;
  context->infinite_number = operation.zeroes_infinity && operation.takes > 0 && last(fn.inputs(), 1)[0].toBool();
  std::size_t argument = 0;
  for (const c10::IValue& value : last(fn.inputs(), operation.takes)) {
    const bool written = argument < operation.writes.size() && operation.writes[argument];
    ++argument;
    if (value.isDouble()) {
      context->infinite_number = context->infinite_number || std::isinf(value.toDouble());
      continue;
    }
    each_tensor(value, [&](const at::Tensor& tensor, int place) {
      context->shapes_only = context->shapes_only || tensor.is_meta();
      if (!has_elements(tensor)) *wraps = true;
      else context->given.push_back({c10::weak_intrusive_ptr<c10::TensorImpl>(tensor.getIntrusivePtr()), place, written});
    });
  }
}

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& fn) {
  Thread& thread = t_thread;
  if (thread.closed > 0 || thread.busy || !g_on.load(std::memory_order_relaxed)) return nullptr;
  try {
    const Checked& operation = checked_of(fn);
    if (operation.kind == Kind::kIgnored) return nullptr;
    auto context = std::make_unique<Context>();
    context->operation = &operation;
    bool wraps = false;
    if (operation.kind != Kind::kQuiet || (operation.reads && g_states.holds())) take_inputs(fn, context.get(), &wraps);
    // What a library brings along may call the program's own Python code.
    context->closes = operation.kind == Kind::kQuiet || context->shapes_only || (!wraps && begins_with(operation.name, "aten::"));
    if (context->closes) ++thread.closed;
    return context;
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("an unknown fault");
  }
  return nullptr;
}

// What can be said of what went into an operation by the time that an output of it is found bad.
struct Source {
  bool any_bad = false;  // but for what it has overwritten
  unsigned passed = kNothing;
};

// An attention mask as it is made elsewhere: nothing but zeros and negative infinities.
bool is_mask(const Badness& found) { return found.infinities && !found.nan && found.only_minus && found.others_zero; }

Source source_of(const Context& context, const at::Tensor& output, int part) {
  Source source;
  if (context.infinite_number) source.passed |= kInfinities;
  for (const Given& given : context.given) {
    if (part != kWhole && given.place != kWhole && given.place != part) continue;
    auto alive = given.tensor.lock();
    if (!alive) continue;
    const at::Tensor tensor(std::move(alive));
    if (!has_elements(tensor) || !g_numbers.can_look(tensor)) continue;
    if (given.written || tensor.is_same(output)) {
      source.passed |= g_states.of(tensor);
      continue;
    }
    if (g_numbers.all_finite(tensor)) continue;
    source.any_bad = true;
    const unsigned passed = g_states.of(tensor);
    source.passed |= passed;
    if (passed == kNothing && (tensor.unsafeGetTensorImpl()->is_wrapped_number() || is_mask(g_numbers.badness(tensor)))) {
      source.passed |= kInfinities;
    }
  }
  return source;
}

// (number of the dtype, dimensions, elements, place in a list), None where it can't be read.
PyObject* raw(const at::Tensor& tensor, int place) {
  PyObject* dims = PyTuple_New(tensor.dim());
  if (dims == nullptr) return nullptr;
  for (std::int64_t i = 0; i < tensor.dim(); ++i) PyTuple_SET_ITEM(dims, i, PyLong_FromLongLong(tensor.size(i)));
  const std::vector<char> elements = gathered(is_readable(tensor) ? tensor : tensor.cpu());
  return Py_BuildValue("(iNy#i)", dtype_number(tensor.scalar_type()), dims, elements.empty() ? "" : elements.data(),
                       static_cast<Py_ssize_t>(elements.size()), place);
}

PyObject* raw_inputs(const Context& context, int part) {
  PyObject* all = PyList_New(0);
  for (const Given& given : context.given) {
    if (all == nullptr) return nullptr;
    if (part != kWhole && given.place != kWhole && given.place != part) continue;
    auto alive = given.tensor.lock();
    if (!alive || given.written) continue;
    const at::Tensor tensor(std::move(alive));
    if (!has_elements(tensor) || !g_numbers.can_look(tensor) || dtype_number(tensor.scalar_type()) == 0) continue;
    PyObject* each = raw(tensor, given.place);
    if (each == nullptr || PyList_Append(all, each) != 0) Py_CLEAR(all);
    Py_XDECREF(each);
  }
  return all;
}

PyObject* forward_of(std::uint64_t key) {
  const Forward& forward = g_forwards[(key - 1) % kForwards];
  const Checked* operation = forward.operation.load();
  if (key == 0 || forward.key.load() != key || operation == nullptr) return nullptr;
  PyObject* frames = frames_of(forward.stack.load());
  return frames == nullptr ? nullptr : Py_BuildValue("(sO)", operation->name.c_str(), frames);
}

// (operation, frames) of what is differentiated, or was last, or None.
PyObject* forward_of_thread() {
  const Thread& thread = t_thread;
  for (auto key = thread.backward.rbegin(); key != thread.backward.rend(); ++key) {
    if (PyObject* found = forward_of(key->forward)) return found;
  }
  PyObject* found = thread.backward.empty() ? forward_of(thread.ended) : nullptr;
  return found == nullptr ? Py_NewRef(Py_None) : found;
}

struct Output {
  const at::Tensor& tensor;
  int slot;
  int part;
};

// Whether a bad output may wait for what takes it: it is a result, and only that.
bool may_wait(const Context& context, const Output& output) {
  const auto written = [](const Given& given) { return given.written; };
  return t_thread.backward.empty() && std::none_of(context.given.begin(), context.given.end(), written) &&
         output.tensor.has_storage();
}

// Whether it may wait for the end of the node of autograd that runs: PyTorch's own derivatives choose among what they have
// computed, as that of `std` does, which divides by zero and puts zeros in the place of that.
bool may_wait_for_node(const Output& output) {
  return !t_thread.backward.empty() && t_thread.backward.back().of_pytorch && output.tensor.has_storage();
}

// judge(operation, (slot, outputs, in backward, may wait, for its node), output, inputs, frames, forward) -> what is to
// pass, or kRaise
void ask(const Context& context, const Output& output) {
  if (interpreter_ends()) return;
  const Interpreter held;
  PyObject* frames = frames_of_thread();
  const bool runs_python = frames != nullptr && PyList_GET_SIZE(frames) > 0;
  const bool of_node = may_wait_for_node(output);
  PyObject* said = frames == nullptr ? nullptr
                                     : PyObject_CallFunction(
                                           g_judge, "s(iiOOO)NNNN", context.operation->name.c_str(), output.slot,
                                           static_cast<int>(context.operation->gives),
                                           t_thread.backward.empty() ? Py_False : Py_True,
                                           may_wait(context, output) ? Py_True : Py_False, of_node ? Py_True : Py_False, raw(output.tensor, output.part),
                                           raw_inputs(context, output.part), frames, forward_of_thread());
  const long passed = said == nullptr ? 0 : PyLong_AsLong(said);
  Py_XDECREF(said);
  if (PyErr_Occurred() != nullptr) return fail(error_of_python().c_str());
  if (passed == kRaise) raise_soon(runs_python);
  else if (passed > static_cast<long>(kFlags)) {
    const Held number = static_cast<Held>(passed) / (kFlags + 1);
    g_states.hold(output.tensor, number);
    if (of_node) t_thread.backward.back().waiting.push_back(number);
  } else g_states.let_pass(output.tensor, static_cast<unsigned>(passed));
}

void look_into(const Context& context, const Output& output) {
  const Kind kind = context.operation->kind;
  const Source source = source_of(context, output.tensor, output.part);
  if (kind == Kind::kMoves || (kind == Kind::kConverts && source.any_bad)) {
    return g_states.let_pass(output.tensor, source.passed);
  }
  const Badness found = g_numbers.badness(output.tensor);
  const bool pass = (!found.nan || (source.passed & kNan) != 0) && (!found.infinities || (source.passed & kInfinities) != 0);
  if (pass) return g_states.let_pass(output.tensor, source.passed);
  ask(context, output);
}

void look_at(const Context& context, const Output& output) {
  if (g_numbers.all_finite(output.tensor) || about_to_raise()) return;
  look_into(context, output);
}

void look_at_outputs(const at::RecordFunction& fn, const Context& context) {
  const Checked& operation = *context.operation;
  if (look_at_held(fn, context) || operation.kind == Kind::kQuiet) return;
  int slot = 0;
  for (const c10::IValue& value : last(fn.outputs(), operation.gives)) {
    each_tensor(value, [&](const at::Tensor& tensor, int place) {
      if (slot == 0 || !operation.first_only) look_at(context, {tensor, slot, operation.of_each ? place : kWhole});
      ++slot;
    });
  }
  if (slot != 0 || operation.gives > 0) return;
  for (const Given& given : context.given) {  // what is written without being returned, as by a fused optimizer
    if (!given.written) continue;
    if (auto tensor = given.tensor.lock()) look_at(context, {at::Tensor(std::move(tensor)), slot, given.place});
    ++slot;
  }
}

// The first operation to end since a node of autograd was made is the one that it differentiates.
void note_forward(const at::RecordFunction& fn, const Context& context) {
  const std::int64_t sequence = fn.seqNr();
  if (sequence < 0 || static_cast<std::int64_t>(at::sequence_number::peek()) <= sequence) return;
  const std::uint64_t key = forward_key(fn.threadId(), sequence);
  Forward& forward = g_forwards[(key - 1) % kForwards];
  if (forward.key.load(std::memory_order_relaxed) == key) return;
  forward.stack.store(noted_stack());
  forward.operation.store(context.operation);
  forward.key.store(key);
}

void on_end(const at::RecordFunction& fn, at::ObserverContext* plain) {
  if (plain == nullptr) return;
  const auto& context = *static_cast<Context*>(plain);
  if (context.closes) --t_thread.closed;
  if (!g_on.load(std::memory_order_relaxed) || t_thread.busy || context.shapes_only) return;
  if (context.operation->kind == Kind::kQuiet && context.given.empty()) return;
  const Busy busy;
  try {
    look_at_outputs(fn, context);
    note_forward(fn, context);
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("an unknown fault");
  }
}

// Whether a node is one of PyTorch's derivatives, as `DivBackward0`, and none that Python gives.
bool is_of_pytorch(const char* name) {
  const std::size_t length = std::strlen(name);
  return length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9';
}

std::unique_ptr<at::ObserverContext> on_backward(const at::RecordFunction& fn) {
  Node node{fn.seqNr() >= 0 ? forward_key(fn.forwardThreadId(), fn.seqNr()) : 0, is_of_pytorch(fn.name()), false, g_handed_on.take()};
  node.chooses = !node.waiting.empty() && chooses_gradients(fn.name());
  for (const Held number : node.chooses ? node.waiting : std::vector<Held>()) g_states.hand(number);
  t_thread.backward.push_back(std::move(node));
  return nullptr;
}

void on_backward_end(const at::RecordFunction&, at::ObserverContext*) {
  Thread& thread = t_thread;
  if (thread.backward.empty()) return;
  // What the node has made for itself is gone by now, unless it is kept for a second derivative: then what takes it tells.
  const Node& node = thread.backward.back();
  for (const Held number : at::GradMode::is_enabled() ? std::vector<Held>() : node.waiting) {
    if (g_states.is_held(number, node.chooses) && !g_handed_on.wait(number)) raise_held(number, false);
  }
  thread.ended = thread.backward.back().forward;
  thread.backward.pop_back();
}

Callbacks g_callbacks;

PyObject* start(PyObject*, PyObject* arguments) {
  PyObject *judge, *taken, *tell_fault, *error, *base;
  if (!PyArg_ParseTuple(arguments, "OOOOkO!", &judge, &taken, &tell_fault, &error, &g_main_thread, &PyType_Type, &base)) return nullptr;
  Py_INCREF(judge);
  Py_INCREF(taken);
  Py_INCREF(tell_fault);
  Py_INCREF(error);
  g_judge = judge;  // those before are kept: a callback may be under way
  g_taken = taken;
  g_fail = tell_fault;
  g_error = error;
  g_states.clear();
  g_handed_on.clear();
  g_on.store(true);
  watch_operators(reinterpret_cast<PyTypeObject*>(base));
  watch_readers(reinterpret_cast<PyTypeObject*>(base), on_read);
  g_callbacks.attach({on_start, on_end}, {on_backward, on_backward_end});
  Py_RETURN_NONE;
}

// (kernels for each GPU, kind of device) -> whether tensors there are looked at from now on.
PyObject* measure_on_gpu(PyObject*, PyObject* arguments) {
  return begin_on_gpu(arguments, [](std::vector<std::string> images, c10::DeviceType kind) {
    return g_numbers.start(std::move(images), kind);
  });
}

PyObject* stop(PyObject*, PyObject*) {
  g_on.store(false);
  g_numbers.stop();
  unwatch_operators();
  unwatch_readers();
  g_callbacks.detach();
  Py_RETURN_NONE;
}

PyObject* forget_scaled(PyObject*, PyObject*) {
  g_states.forget_scaled();
  Py_RETURN_NONE;
}

// The numbers of the findings that still wait.
PyObject* held(PyObject*, PyObject*) {
  PyObject* numbers = PySet_New(nullptr);
  for (const Held number : g_states.all_held()) {
    PyObject* each = PyLong_FromUnsignedLong(number);
    if (numbers != nullptr && (each == nullptr || PySet_Add(numbers, each) != 0)) Py_CLEAR(numbers);
    Py_XDECREF(each);
  }
  return numbers;
}

PyMethodDef kMethods[] = {
    {"start", start, METH_VARARGS, "(judge, taken, fail, error, main thread, TensorBase): looks at all operations from now on."},
    {"stop", stop, METH_NOARGS, "Looks at none from now on."},
    {"measure_on_gpu", measure_on_gpu, METH_VARARGS, "(kernels, kind of device): see gpu_health.h."},
    {"held", held, METH_NOARGS, "The numbers of the findings that still wait for what takes their tensors."},
    {"watch_compiled", watch_compiled, METH_O, "(on_stored): see compiled.h, as of the next."},
    {"probe", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(probe)), METH_FASTCALL,
     "(site, slot, tensor): a kernel has stored it."},
    {"look_away", look_away, METH_O, "(whether): nothing of this thread is looked at, or all again."},
    {"let_pass_as", let_pass_as, METH_VARARGS, "(tensor, again): what passes of the one passes of the other."},
    {"is_bad", is_bad, METH_O, "(tensor) -> whether it holds an infinity or NaN."},
    {"forget_scaled", forget_scaled, METH_NOARGS, "What was let pass because of a scaled loss passes no longer."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "tensordbg_torch_checker",
                       "Looks at what every operation of the PyTorch puts out that it was built against.", -1, kMethods};

}  // namespace
}  // namespace tensordbg_torch

PyMODINIT_FUNC PyInit_tensordbg_torch_checker() { return PyModule_Create(&tensordbg_torch::kModule); }
