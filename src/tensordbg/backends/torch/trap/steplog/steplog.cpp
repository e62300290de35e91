// Notes which operations a training step runs and on what, so that a bad one can be run again without its program.
//
// It is an observer of at::RecordFunction, as that of a recording. Nothing is measured and no result is held: of a tensor
// only its memory's number and its place there are noted. What comes from outside of the step is held until the step has
// ended, and copied where the step writes into it. With the next step all is forgotten, unless somebody takes it; the tables
// stay as they are, so that an operation asks for no memory.
#include "frames.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/SequenceNumber.h>
#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/python_variable.h>

#include <atomic>

#include "autograd.h"
#include "callbacks.h"
#include "finite.h"
#include "interpreter.h"
#include "memories.h"
#include "noted_stacks.h"
#include "operations.h"
#include "stock.h"

namespace tensordbg_torch {
namespace {

constexpr std::size_t kMost = 60000;  // operations of a step

enum class Kind : char { kValue, kTensor, kTensors };

// So many things that stand one behind the other in a table of all.
struct Range {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct Argument {
  Kind kind = Kind::kValue;
  Range tensors;      // one, or those of a list
  c10::IValue value;  // of a value
};

struct More {
  std::string overload;
  bool seeded = false;
  bool transparent = false;  // what it calls is noted, or it only makes a view
  bool normalizes = false;   // it writes statistics without saying so in its schema
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
  Range arguments;
  Range results;
};

// Which entry a node of autograd differentiates, by thread and sequence number.
struct Forward {
  std::uint64_t key = 0;
  std::uint64_t window = 0;
  std::int64_t entry = -1;
};

struct Log {
  std::vector<Entry> entries;
  std::vector<Argument> arguments;
  std::vector<At> tensors;
  Memories memories;
  std::vector<at::Tensor> states;
  std::string trouble;  // why the step can't be run again

  void clear() {
    entries.clear();
    arguments.clear();
    tensors.clear();
    memories.clear();
    states.clear();
    trouble.clear();
  }

  Range from(std::size_t first) const { return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(tensors.size() - first)}; }
};

std::mutex g_mutex;
Log g_log;
std::mutex g_other_mutex;
Log g_other;  // the one of the step before, empty
std::vector<Forward> g_forwards(kForwards);
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

struct Context final : at::ObserverContext, FromStock<Context> {
  Entry entry;
  std::uint64_t window = 0;
};

struct Thread {
  int paused = 0;
  int closed = 0;  // kernels that are under way
  std::vector<Node> nodes;
  std::vector<std::unique_ptr<Context>> compiled;  // graphs that are under way
};
thread_local Thread t_thread;

void fail(const char* what) {
  if (g_active.exchange(false)) tell(g_fail, what);
}

const More* find_more(const at::RecordFunction& fn, const Operation& operation) {
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
    found->normalizes = is_among(operation.name, {"aten::native_batch_norm", "aten::cudnn_batch_norm"});
  }
  return found.get();
}

const More& more_of(const at::RecordFunction& fn, const Operation& operation) {
  static thread_local std::vector<const More*> seen;  // by the operation's number, so that no lock is taken
  const auto number = static_cast<std::size_t>(operation.number);
  if (number >= seen.size()) seen.resize(number + 64);
  if (seen[number] == nullptr) seen[number] = find_more(fn, operation);
  return *seen[number];
}

bool writes(const Entry& entry, std::size_t argument) {
  const Operation& operation = *entry.operation;
  if (argument < operation.writes.size() && operation.writes[argument]) return true;
  return entry.more->normalizes && (argument == 3 || argument == 4);
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

void take(const Operation& operation, const at::Tensor& tensor, bool written) {
  if (is_plain(tensor)) {
    g_log.tensors.push_back(g_log.memories.take(tensor, written));
  } else {
    trouble(operation, "computes with a tensor that is not dense, or not on the processor");
    g_log.tensors.emplace_back();
  }
}

bool is_number(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->is_wrapped_number() && tensor.is_cpu() &&
         (tensor.scalar_type() == at::kDouble || tensor.scalar_type() == at::kLong);
}

c10::IValue number_in(const at::Tensor& tensor) {
  if (tensor.scalar_type() == at::kDouble) return *tensor.const_data_ptr<double>();
  return *tensor.const_data_ptr<std::int64_t>();
}

bool holds_tensors(const c10::IValue& value) {
  if (value.isTensorList()) return true;
  if (!value.isList()) return false;
  const auto all = value.toListRef();
  return std::any_of(all.begin(), all.end(), [](const c10::IValue& each) { return each.isTensor(); });
}

void note_argument(const Operation& operation, const c10::IValue& value, bool written) {
  Argument& argument = g_log.arguments.emplace_back();
  const std::size_t first = g_log.tensors.size();
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (!tensor.defined()) return;
    if (is_number(tensor)) {
      argument.value = number_in(tensor);
      return;
    }
    argument.kind = Kind::kTensor;
    take(operation, tensor, written);
  } else if (holds_tensors(value)) {
    argument.kind = Kind::kTensors;
    for (const c10::IValue& each : value.toListRef()) {
      if (each.isTensor() && each.toTensor().defined()) take(operation, each.toTensor(), written);
      else g_log.tensors.emplace_back();
    }
  } else {
    argument.value = value;
  }
  argument.tensors = g_log.from(first);
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

bool wraps(const c10::ArrayRef<c10::IValue>& values) {
  bool found = false;
  for (const c10::IValue& value : values) {
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
    std::unique_ptr<Context> context(new Context);
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

// The first operation of a sequence number is the one that the program called.
void note_forward(std::uint64_t key, std::uint64_t window) {
  Forward& here = g_forwards[key % kForwards];
  if (here.key != key || here.window != window) here = {key, window, static_cast<std::int64_t>(g_log.entries.size())};
}

void note_result(const Operation& operation, const at::Tensor& tensor) {
  if (is_plain(tensor)) {
    g_log.tensors.push_back(g_log.memories.give(tensor));
  } else {
    g_log.tensors.emplace_back();
    trouble(operation, "gives a tensor that is not dense, or not on the processor");
  }
}

void add_entry(const Entry& entry) {
  g_log.entries.push_back(entry);
  if (g_log.entries.size() < kMost) return;
  g_log.clear();
  g_log.trouble = "it has too many operations";
  g_active.store(false);
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
    const auto outputs = last(fn.outputs(), operation.gives);
    if (wraps(outputs)) return;  // nothing was computed, such as where something is compiled
    const std::size_t first = g_log.tensors.size();
    for (const c10::IValue& value : outputs) {
      each_tensor(value, [&](const at::Tensor& tensor, int) { note_result(operation, tensor); });
    }
    entry.results = g_log.from(first);
    const std::int64_t sequence = fn.seqNr();
    if (sequence >= 0 && static_cast<std::int64_t>(at::sequence_number::peek()) > sequence) {
      note_forward(forward_key(fn.threadId(), sequence), context->window);
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

// The call of a compiled graph, which is one entry: a capture takes it apart. What it is given begins with the graph's number.
const Operation& compiled_graph() {
  static const auto* const one = [] {
    auto* made = new Operation;
    made->name = "tensordbg::compiled";
    return made;
  }();
  return *one;
}

void note_given(PyObject* given, bool written) {
  if (THPVariable_Check(given)) return note_argument(compiled_graph(), THPVariable_Unpack(given), written);
  const long long number = PyLong_Check(given) ? PyLong_AsLongLong(given) : 0;
  g_log.arguments.emplace_back().value = static_cast<std::int64_t>(number);
}

// (graph, given, places of what it writes): notes nothing of this thread up to `leave_compiled` where it returns True.
PyObject* enter_compiled(PyObject*, PyObject* all) {
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
PyObject* leave_compiled(PyObject*, PyObject* results) {
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

PyObject* numbers(c10::ArrayRef<std::int64_t> values) {
  PyObject* all = PyTuple_New(static_cast<Py_ssize_t>(values.size()));
  for (std::size_t i = 0; all != nullptr && i < values.size(); ++i) PyTuple_SET_ITEM(all, i, PyLong_FromLongLong(values[i]));
  return all;
}

// (memory, dtype, offset, sizes, strides), None where there is no tensor.
PyObject* told(const At& at) {
  if (at.memory < 0) return Py_NewRef(Py_None);
  const Shapes& shapes = g_log.memories.shapes();
  return Py_BuildValue("(iiLNN)", at.memory, static_cast<int>(at.dtype), static_cast<long long>(at.offset),
                       numbers(shapes.sizes(at)), numbers(shapes.strides(at)));
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

c10::ArrayRef<At> tensors_in(const Range& range) { return {g_log.tensors.data() + range.first, range.count}; }

PyObject* told(const Range& range) {
  return listed(tensors_in(range), [](const At& each) { return told(each); });
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
  const c10::ArrayRef<Argument> given(g_log.arguments.data() + entry.arguments.first, entry.arguments.count);
  PyObject* arguments = listed(given, [](const Argument& each) {
    return each.kind == Kind::kValue    ? Py_BuildValue("(sN)", "v", told(each.value))
           : each.kind == Kind::kTensor ? Py_BuildValue("(sN)", "t", told(tensors_in(each.tensors).front()))
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
  const Outside* outside = g_log.memories.outside(memory);
  if (outside == nullptr) return Py_NewRef(Py_None);
  const bool dirty =
      !outside->copied && outside->version.enabled() && outside->version.current_version() != outside->first_version;
  const std::int64_t low = outside->low / 64 * 64;  // so that it can lie as it did, as far as kernels care
  const char* data = outside->copied ? outside->copy.data() : static_cast<const char*>(outside->held.data());
  return Py_BuildValue("(Ly#O)", static_cast<long long>(low), data == nullptr ? "" : data + low,
                       static_cast<Py_ssize_t>(data == nullptr ? 0 : outside->high - low), dirty ? Py_True : Py_False);
}

PyObject* first_of(const Memory& memory) {
  const Outside* outside = g_log.memories.outside(memory);
  return told(outside == nullptr ? At{} : outside->first);
}

// (operations, memories, how each was looked at first, states, stacks, trouble, memories that came from other processes)
PyObject* take_log(PyObject*, PyObject*) {
  const std::lock_guard<std::mutex> guard(g_mutex);
  PyObject* operations = listed(g_log.entries, [](const Entry& entry) { return told(entry); });
  PyObject* memories = listed(g_log.memories.all(), [](const Memory& each) { return told(each); });
  PyObject* firsts = listed(g_log.memories.all(), first_of);
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
