// Notes which operations a training step runs and on what, so that a bad one can be run again without its program.
//
// It is an observer of at::RecordFunction, as that of a recording. Nothing is measured and no result is held: of a tensor
// only its memory's number and its place there are noted. What comes from outside of the step is held until the step has
// ended, and copied where the step writes into it. With the next step all is forgotten, unless somebody takes it.
#include "frames.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/SequenceNumber.h>
#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/python_variable.h>

#include <atomic>

#include "autograd.h"
#include "callbacks.h"
#include "interpreter.h"
#include "memories.h"
#include "noted_stacks.h"
#include "operations.h"

namespace tensordbg_torch {
namespace {

constexpr std::size_t kMost = 60000;  // operations of a step

enum class Kind : char { kValue, kTensor, kTensors };

struct Argument {
  Kind kind = Kind::kValue;
  c10::IValue value;        // of a value
  std::vector<At> tensors;  // one, or those of a list
};

struct More {
  std::string overload;
  bool seeded = false;
  bool transparent = false;  // what it calls is noted, or it only makes a view
};

struct Entry {
  const Operation* operation = nullptr;
  const More* more = nullptr;
  std::uint64_t stack = 0;
  std::int64_t forward = -1;  // the entry whose gradient it is part of, -2 where that is not known
  std::int64_t node = -1;     // of autograd
  int autocast = 0;
  int state = -1;             // of the random generator before it
  bool grad = false;          // some kernels keep more for the backward pass
  std::vector<Argument> arguments;
  std::vector<At> results;
};

struct Log {
  std::vector<Entry> entries;
  Memories memories;
  std::vector<at::Tensor> states;
  std::unordered_map<std::uint64_t, std::int64_t> forwards;
  std::string trouble;  // why the step can't be run again
};

std::mutex g_mutex;
Log g_log;
std::atomic<bool> g_active{false};
std::atomic<bool> g_resting{false};  // between two steps, where evaluations run: only what may be differentiated counts
std::atomic<std::uint64_t> g_window{0};
PyObject* g_fail = nullptr;
std::atomic<std::int64_t> g_nodes{0};
Callbacks g_callbacks;

struct Node {
  std::int64_t forward;
  std::int64_t number;
};

struct Thread {
  int paused = 0;
  int closed = 0;  // kernels that are under way
  std::vector<Node> nodes;
};
thread_local Thread t_thread;

struct Context : at::ObserverContext {
  Entry entry;
  std::uint64_t window = 0;
};

void fail(const char* what) {
  if (g_active.exchange(false)) tell(g_fail, what);
}

const More& more_of(const at::RecordFunction& fn, const Operation& operation) {
  static std::mutex mutex;
  static auto* const known = new std::unordered_map<const Operation*, std::unique_ptr<More>>;
  const std::lock_guard<std::mutex> guard(mutex);
  auto& found = (*known)[&operation];
  if (!found) {
    found = std::make_unique<More>();
    if (const auto schema = fn.operator_schema(); schema.has_value()) {
      found->overload = schema->overload_name();
      const auto handle = c10::Dispatcher::singleton().findSchema({schema->name(), schema->overload_name()});
      found->seeded = handle.has_value() && handle->hasTag(at::Tag::nondeterministic_seeded);
    }
    found->transparent = operation.composite || operation.is_view || operation.rearranges || operation.enters ||
                         operation.rebinds || !begins_with(operation.name, "aten::");
  }
  return *found;
}

// Batch normalization writes its statistics without saying so in its schema.
bool writes(const Operation& operation, std::size_t argument) {
  if (argument < operation.writes.size() && operation.writes[argument]) return true;
  return (argument == 3 || argument == 4) && is_among(operation.name, {"aten::native_batch_norm", "aten::cudnn_batch_norm"});
}

// A step that can't be run again need not be noted any further.
void trouble(const Operation& operation, const char* why) {
  if (g_log.trouble.empty()) g_log.trouble = operation.name + " " + why;
  g_active.store(false);
}

// Returns whether it is a tensor whose elements lie in memory as they are.
bool is_plain(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.layout() == at::kStrided && !tensor.is_nested() && !tensor.is_quantized() &&
         tensor.has_storage() && !tensor.is_conj() && !tensor.is_neg() && !tensor.is_mkldnn();
}

At take(const Operation& operation, const at::Tensor& tensor, bool written) {
  if (is_plain(tensor)) return g_log.memories.take(tensor, written);
  trouble(operation, "computes with a tensor that is not dense, or not on the processor");
  return {};
}

bool is_number(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->is_wrapped_number() && tensor.is_cpu() &&
         (tensor.scalar_type() == at::kDouble || tensor.scalar_type() == at::kLong);
}

c10::IValue number_in(const at::Tensor& tensor) {
  if (tensor.scalar_type() == at::kDouble) return *tensor.const_data_ptr<double>();
  return *tensor.const_data_ptr<std::int64_t>();
}

Argument argument_of(const Operation& operation, const c10::IValue& value, bool written) {
  Argument argument;
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (!tensor.defined()) return argument;
    if (is_number(tensor)) {
      argument.value = number_in(tensor);
      return argument;
    }
    argument.kind = Kind::kTensor;
    argument.tensors.push_back(take(operation, tensor, written));
    return argument;
  }
  const bool list = value.isTensorList() || (value.isList() && value.toListRef().size() > 0 &&
                                             std::any_of(value.toListRef().begin(), value.toListRef().end(),
                                                         [](const c10::IValue& each) { return each.isTensor(); }));
  if (!list) {
    argument.value = value;
    return argument;
  }
  argument.kind = Kind::kTensors;
  for (const c10::IValue& each : value.toListRef()) {
    const bool there = each.isTensor() && each.toTensor().defined();
    argument.tensors.push_back(there ? take(operation, each.toTensor(), written) : At{});
  }
  return argument;
}

// The state of the generator that an operation is about to draw from.
int noted_state(const c10::ArrayRef<c10::IValue>& inputs) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  for (const c10::IValue& each : inputs) {
    if (each.isGenerator()) generator = each.toGenerator();
  }
  at::Tensor state;
  {
    const std::lock_guard<std::mutex> guard(generator.mutex());
    state = generator.get_state();
  }
  g_log.states.push_back(std::move(state));
  return static_cast<int>(g_log.states.size()) - 1;
}

bool wraps(const c10::ArrayRef<c10::IValue>& inputs) {
  bool found = false;
  for (const c10::IValue& value : inputs) {
    each_tensor(value, [&](const at::Tensor& tensor, int) { found = found || !has_elements(tensor); });
  }
  return found;
}

// What processes exchange in place is read where it is used next, when it has arrived, as what comes from outside is.
void note_exchange(const Operation& operation, const c10::ArrayRef<c10::IValue>& inputs) {
  if (!begins_with(operation.name, "c10d::") && !begins_with(operation.name, "_c10d_functional::")) return;
  const std::lock_guard<std::mutex> guard(g_mutex);
  bool in_place = is_among(operation.name, {"c10d::allreduce_", "c10d::allreduce_coalesced_", "c10d::broadcast_", "c10d::reduce_",
                                            "c10d::barrier", "c10d::monitored_barrier_", "c10d::send", "c10d::recv_"});
  for (const c10::IValue& value : inputs) {
    each_tensor(value, [&](const at::Tensor& tensor, int) {
      if (!has_elements(tensor) || !is_plain(tensor)) {
        in_place = false;
      } else if (in_place) {
        g_log.memories.exchange(tensor);
      }
    });
  }
  if (!in_place) trouble(operation, "exchanges tensors with other processes");
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
      return nullptr;
    }
    auto context = std::make_unique<Context>();
    Entry& entry = context->entry;
    entry.operation = &operation;
    entry.more = &more;
    entry.stack = noted_stack();  // may wait for the interpreter, so without our lock
    if (at::autocast::is_autocast_enabled(at::kCPU)) {
      entry.autocast = static_cast<int>(at::autocast::get_autocast_dtype(at::kCPU)) + 1;
    }
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
    std::size_t place = 0;
    for (const c10::IValue& value : inputs) {
      entry.arguments.push_back(argument_of(operation, value, writes(operation, place)));
      ++place;
    }
    ++thread.closed;
    return context;
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("an unknown fault");
  }
  return nullptr;
}

std::uint64_t forward_key(std::uint64_t thread, std::int64_t sequence) {
  return thread << 44 | (static_cast<std::uint64_t>(sequence) + 1);
}

void on_end(const at::RecordFunction& fn, at::ObserverContext* plain) {
  if (plain == nullptr) return;
  --t_thread.closed;
  auto* context = static_cast<Context*>(plain);
  if (!g_active.load(std::memory_order_relaxed)) return;
  try {
    const std::lock_guard<std::mutex> guard(g_mutex);
    if (context->window != g_window.load()) return;
    Entry& entry = context->entry;
    const Operation& operation = *entry.operation;
    for (const c10::IValue& value : last(fn.outputs(), operation.gives)) {
      each_tensor(value, [&](const at::Tensor& tensor, int) {
        if (is_plain(tensor)) {
          entry.results.push_back(g_log.memories.give(tensor));
        } else {
          entry.results.push_back({});
          trouble(operation, "gives a tensor that is not dense, or not on the processor");
        }
      });
    }
    const std::int64_t sequence = fn.seqNr();
    if (sequence >= 0 && static_cast<std::int64_t>(at::sequence_number::peek()) > sequence) {
      g_log.forwards.emplace(forward_key(fn.threadId(), sequence), static_cast<std::int64_t>(g_log.entries.size()));
    }
    g_log.entries.push_back(std::move(entry));
    if (g_log.entries.size() >= kMost) {
      g_log = Log{};
      g_log.trouble = "it has too many operations";
      g_active.store(false);
    }
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
    const auto found = g_log.forwards.find(forward_key(fn.forwardThreadId(), fn.seqNr()));
    if (found != g_log.forwards.end()) forward = found->second;
  }
  t_thread.nodes.push_back({forward, g_nodes.fetch_add(1)});
  return nullptr;
}

void on_backward_end(const at::RecordFunction&, at::ObserverContext*) {
  if (!t_thread.nodes.empty()) t_thread.nodes.pop_back();
}

PyObject* numbers(const c10::SmallVector<std::int64_t, 4>& values) {
  PyObject* all = PyTuple_New(static_cast<Py_ssize_t>(values.size()));
  for (std::size_t i = 0; all != nullptr && i < values.size(); ++i) PyTuple_SET_ITEM(all, i, PyLong_FromLongLong(values[i]));
  return all;
}

// (memory, dtype, offset, sizes, strides), None where there is no tensor.
PyObject* told(const At& at) {
  if (at.memory < 0) return Py_NewRef(Py_None);
  return Py_BuildValue("(iiLNN)", at.memory, at.dtype, static_cast<long long>(at.offset), numbers(at.sizes), numbers(at.strides));
}

PyObject* told(const std::vector<At>& all) {
  PyObject* list = PyList_New(0);
  for (const At& each : all) {
    PyObject* one = told(each);
    if (one == nullptr || PyList_Append(list, one) != 0) PyErr_Clear();
    Py_XDECREF(one);
  }
  return list;
}

// A list of what `tell_one` makes of each; null, with an exception, where it can't.
template <typename Each, typename Tell>
PyObject* listed(const Each& all, Tell tell_one) {
  PyObject* list = PyList_New(0);
  for (const auto& each : all) {
    PyObject* one = tell_one(each);
    if (one == nullptr || PyList_Append(list, one) != 0) {
      Py_XDECREF(one);
      Py_XDECREF(list);
      return nullptr;
    }
    Py_DECREF(one);
  }
  return list;
}

// A value as Python has it; what it has not is an exception.
PyObject* told(const c10::IValue& value) {
  if (value.isNone() || value.isGenerator() || value.isTensor()) return Py_NewRef(Py_None);
  if (value.isBool()) return PyBool_FromLong(value.toBool());
  if (value.isInt()) return PyLong_FromLongLong(value.toInt());
  if (value.isDouble()) return PyFloat_FromDouble(value.toDouble());
  if (value.isString()) return PyUnicode_FromString(value.toStringRef().c_str());
  if (value.isDevice()) return PyUnicode_FromString(value.toDevice().str().c_str());
  if (value.isSymInt()) return PyLong_FromLongLong(value.toSymInt().guard_int(__FILE__, __LINE__));
  if (value.isList()) return listed(value.toListRef(), [](const c10::IValue& each) { return told(each); });
  PyErr_Format(PyExc_TypeError, "a value of the kind %s", value.tagKind().c_str());
  return nullptr;
}

// (name, overload, [("v", value) or ("t", tensor) or ("l", tensors)], results, stack, forward, node, autocast, state, grad)
PyObject* told(const Entry& entry) {
  PyObject* arguments = listed(entry.arguments, [](const Argument& each) {
    return each.kind == Kind::kValue    ? Py_BuildValue("(sN)", "v", told(each.value))
           : each.kind == Kind::kTensor ? Py_BuildValue("(sN)", "t", told(each.tensors.front()))
                                        : Py_BuildValue("(sN)", "l", told(each.tensors));
  });
  if (arguments == nullptr) return nullptr;
  return Py_BuildValue("(ssNNKLLsii)", entry.operation->name.c_str(), entry.more->overload.c_str(), arguments, told(entry.results),
                       static_cast<unsigned long long>(entry.stack), static_cast<long long>(entry.forward),
                       static_cast<long long>(entry.node),
                       entry.autocast == 0 ? "" : c10::toString(static_cast<at::ScalarType>(entry.autocast - 1)), entry.state,
                       entry.grad ? 1 : 0);
}

// (first byte, bytes, whether it was written since), None of what the step made.
PyObject* told(const Memory& memory) {
  if (memory.born) return Py_NewRef(Py_None);
  const bool dirty = !memory.copied && memory.version.enabled() && memory.version.current_version() != memory.first_version;
  const std::int64_t low = memory.low / 64 * 64;  // so that it can lie as it did, as far as kernels care
  const char* data = memory.copied ? memory.copy.data() : static_cast<const char*>(memory.held.data());
  return Py_BuildValue("(Ly#O)", static_cast<long long>(low), data == nullptr ? "" : data + low,
                       static_cast<Py_ssize_t>(data == nullptr ? 0 : memory.high - low), dirty ? Py_True : Py_False);
}

// (operations, memories, how each was looked at first, states, stacks, trouble, memories that came from other processes)
PyObject* take_log(PyObject*, PyObject*) {
  const std::lock_guard<std::mutex> guard(g_mutex);
  PyObject* operations = listed(g_log.entries, [](const Entry& entry) { return told(entry); });
  PyObject* memories = listed(g_log.memories.all(), [](const Memory& each) { return told(each); });
  PyObject* firsts = listed(g_log.memories.all(), [](const Memory& each) { return told(each.first); });
  PyObject* states = listed(g_log.states, [](const at::Tensor& each) {
    return PyBytes_FromStringAndSize(static_cast<const char*>(each.const_data_ptr()), static_cast<Py_ssize_t>(each.nbytes()));
  });
  PyObject* stacks = PyDict_New();
  for (const Entry& entry : g_log.entries) {
    PyObject* frames = frames_of(entry.stack);
    if (stacks == nullptr || frames == nullptr) continue;
    PyObject* key = PyLong_FromUnsignedLongLong(entry.stack);
    if (key == nullptr || PyDict_SetItem(stacks, key, frames) != 0) PyErr_Clear();
    Py_XDECREF(key);
  }
  PyObject* arrived = listed(g_log.memories.arrived(), [](int each) { return PyLong_FromLong(each); });
  for (PyObject* each : {operations, memories, firsts, states, stacks, arrived}) {
    if (each != nullptr) continue;
    for (PyObject* other : {operations, memories, firsts, states, stacks, arrived}) Py_XDECREF(other);
    return nullptr;
  }
  return Py_BuildValue("(NNNNNsN)", operations, memories, firsts, states, stacks, g_log.trouble.c_str(), arrived);
}

// Where a tensor lies in the memories of the step, None where it has not used it; with `add` it counts as used then.
PyObject* locate(PyObject*, PyObject* arguments) {
  PyObject* tensor;
  int add;
  if (!PyArg_ParseTuple(arguments, "Op", &tensor, &add)) return nullptr;
  if (!THPVariable_Check(tensor)) return PyErr_Format(PyExc_TypeError, "no tensor"), nullptr;
  const at::Tensor& found = THPVariable_Unpack(tensor);
  if (!found.defined() || !has_elements(found) || !is_plain(found)) Py_RETURN_NONE;
  const std::lock_guard<std::mutex> guard(g_mutex);
  return add != 0 ? told(g_log.memories.take(found, false)) : told(g_log.memories.find(found));
}

PyObject* start(PyObject*, PyObject* tell_fault) {
  Py_INCREF(tell_fault);
  g_fail = tell_fault;  // the one before is kept: a callback may be under way
  g_callbacks.attach({on_start, on_end}, {on_backward, on_backward_end});
  Py_RETURN_NONE;
}

void forget(bool active) {
  Log old;  // what it held is let go of behind the lock
  {
    const std::lock_guard<std::mutex> guard(g_mutex);
    std::swap(old, g_log);
    g_window.fetch_add(1);
    g_active.store(active);
    g_resting.store(false);
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

PyObject* rest(PyObject*, PyObject*) {
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
    {"pause", pause, METH_NOARGS, "Notes nothing of this thread up to as many calls of `resume`."},
    {"resume", resume, METH_NOARGS, "See `pause`."},
    {"take", take_log, METH_NOARGS, "What the step has done so far."},
    {"locate", locate, METH_VARARGS, "(tensor, add): where it lies in the memories of the step."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "tensordbg_torch_steplog",
                       "Notes what the steps run of the PyTorch that it was built against.", -1, kMethods};

}  // namespace
}  // namespace tensordbg_torch

PyMODINIT_FUNC PyInit_tensordbg_torch_steplog() { return PyModule_Create(&tensordbg_torch::kModule); }
