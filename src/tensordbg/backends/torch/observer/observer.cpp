// Sees every operation of PyTorch, in every thread, and writes what it computed into tensordbg's event log.
//
// It is an observer of at::RecordFunction, as PyTorch's own profiler is: it replaces nothing, and it is called without the
// interpreter's lock. A fault in it is kept from the program, and ends the recording.
#include "frames.h"

#include <ATen/SequenceNumber.h>
#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <c10/util/SmallVector.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>

#include "autograd.h"
#include "callbacks.h"
#include "collectives.h"
#include "debugger.h"
#include "failures.h"
#include "gpu_begin.h"
#include "gpu_health.h"
#include "interpreter.h"
#include "log_table.h"
#include "makers.h"
#include "module_calls.h"
#include "operations.h"
#include "readers.h"
#include "settings.h"
#include "stock.h"
#include "tensors.h"

namespace tensordbg_torch {
namespace {

const TensordbgLogTable* g_log = nullptr;
std::atomic<bool> g_on{false};
std::atomic<std::int64_t> g_step{0};  // -1 while a step is left out
std::atomic<std::uint16_t> g_cpu{0};
PyObject* g_describe = nullptr;       // (operation, frames, context, first input, number, settings) -> site
PyObject* g_varies = nullptr;         // (site): the fractions among its settings change
PyObject* g_fail = nullptr;           // (message)
PyTypeObject* g_tensor_type = nullptr;
PyObject* g_gradient = nullptr;       // (variable, site, slot): that is its gradient
std::uint64_t g_started = 0;          // how often a recording began
Makers g_makers;
Arrivals g_arrivals;
Modules g_modules;
Failures g_failures;
GpuHealth g_gpu;

std::mutex g_sites_mutex;
struct KnownSite {
  std::int64_t site = -1;
  std::uint64_t fractions = 0;  // of its settings
};
constexpr std::uint64_t kVarying = ~0ULL;  // in their place: it is known that they change
std::unordered_map<std::uint64_t, KnownSite> g_sites;
std::unordered_map<std::uint64_t, int> g_variants;  // how many sites there are at one place, by their settings
constexpr int kMostVariants = 4;
std::atomic<std::uint32_t> g_recording{0};  // how many have been started

// The sites that this thread met of late, to be found without a lock.
struct SeenSite {
  std::uint64_t key = 0;
  std::uint32_t recording = 0;
  KnownSite known;
};
SeenSite& seen_site(std::uint64_t key) {
  constexpr std::size_t kSeen = 2048;
  static thread_local SeenSite seen[kSeen];
  return seen[key % kSeen];
}

constexpr std::int64_t kPlumbing = -2;  // in place of a site: nothing of the program's own, such as printing a tensor

// Bad numbers that the program read: the reference, and the site of the reading.
constexpr std::size_t kMostReads = 65536;
std::mutex g_reads_mutex;
std::vector<std::pair<std::int64_t, std::int64_t>> g_reads;

// Which site computed what a node of autograd differentiates, by thread and sequence number.
struct Forward {
  std::atomic<std::uint64_t> key{0};
  std::atomic<std::uint32_t> site{0};
};
Forward g_forwards[kForwards];

struct Context;

// A node of autograd that runs.
struct Node {
  std::int64_t forward = -1;            // the site of the operation that it differentiates
  std::int64_t variable = kNobody;      // whose gradient it adds up
  c10::SmallVector<const Operation*, 4> done;  // what it has computed so far
};

struct Thread {
  bool busy = false;
  int compiled = 0;  // calls of graphs of torch.compile that are under way, see compiled_calls.h
  bool updating = false;  // an optimizer's step is under way
  Context* innermost = nullptr;
  std::vector<Node> nodes;
  Node ended;          // the one that ran last, whose results the engine may still sum up
  bool ends = false;   // whether that may be so
  ModuleCalls modules;
  Views views;
  bool raised = false;  // what raised the exception that is on its way is noted already
  std::vector<Wish>* wishes = nullptr;  // what an operation on lists has given so far, to be measured together
  int calls = 0;        // for a debugger: operations that are under way, within each other
  bool told = false;    // ... and whether it was told of one of them
};
thread_local Thread t_thread;

// The node of autograd for which this thread computes; null where it does for none.
Node* node_of_thread() {
  Thread& thread = t_thread;
  if (!thread.nodes.empty()) return &thread.nodes.back();
  if (!thread.ends) return nullptr;
  thread.ends = engine_runs();
  return thread.ends ? &thread.ended : nullptr;
}

// An operation that has run, or one part of a list that it goes through.
struct Run {
  int part = kWhole;
  std::int64_t site = -1;
  std::int64_t execution = -1;
  std::int64_t owner = kNobody;
};

struct Given {
  const c10::TensorImpl* tensor = nullptr;
  const c10::StorageImpl* storage = nullptr;
  Known known;
  int part = kWhole;       // its place in a list of which each is computed with by itself
  bool is_number = false;  // it stands in the program's text, and becomes known when something is made of it
  double number = 0;
  std::optional<Weak> alive = std::nullopt;  // of a tensor: for the case that the operation raises
};

// A tensor that the operation writes: whoever called it holds it until it has ended.
constexpr int kKept = kWhole - 1;  // in place of a part, and what lies below: what is written beside what is returned

struct Written {
  const c10::TensorImpl* address;
  std::optional<c10::weak_intrusive_ptr<c10::TensorImpl>> tensor;  // none where the operation returns what it writes
  int part = kWhole;
};

// An operation that runs.
struct Running : at::ObserverContext {
  Running(const Operation* runs, bool is_light) : operation(runs), light(is_light), raising(std::uncaught_exceptions()) {}
  const Operation* operation;
  const bool light;
  const int raising;  // exceptions that were on their way before
};

// One of which nothing is recorded unless it raises, and where a view was made.
struct Light final : Running, FromStock<Light> {
  explicit Light(const Operation* runs) : Running(runs, true) {}
  int autocast = 0;
  c10::SmallVector<Weak, 3> given;
};

// The places of the parts of lists among what an operation was given: of a list of hundreds each part is asked for by itself.
struct PartPlaces {
  c10::SmallVector<std::uint32_t, 4> whole;  // of what is no part
  std::vector<c10::SmallVector<std::uint32_t, 4>> parts;
  std::size_t size = 0;                      // so many things are given
};

struct Context final : Running, FromStock<Context> {
  explicit Context(const Operation* runs) : Running(runs, false) {}
  Context* around = nullptr;
  int autocast = 0;  // the dtype, + 1
  std::uint64_t order = 0;
  bool relevant = false;
  bool passes = false;  // nothing is recorded of it, but what it is differentiated by
  bool wraps = false;  // it takes wrappers, which are taken off by an operation within
  c10::SmallVector<Given, 4> given;
  c10::SmallVector<Written, 1> written;
  Settings settings;
  std::int64_t site = -1;  // not known yet
  int place = -1;  // among the operations of its kind in a node of autograd
  c10::SmallVector<Run, 1> runs;
  std::vector<std::int32_t> run_of_part;  // its place among the runs, -1 where there is none
  PartPlaces part_places;
  std::uint64_t stack = 0;  // not known yet
  std::string group;        // of a collective operation the processes that run it
  bool early = false;       // it works on what has not come yet, so it is part of how that comes
  std::shared_ptr<Sending> sending;  // where it is a collective operation
};

// While it lives, what PyTorch does in this thread is our own doing.
struct Busy {
  Busy() { t_thread.busy = true; }
  ~Busy() { t_thread.busy = false; }
};

void fail(const char* what) {
  if (g_on.exchange(false)) tell(g_fail, what);
}

// The variable that a site is about, and whether it writes it.
struct Owner {
  std::int64_t variable = kNobody;
  bool written = false;
};

// What else is known where a site is asked for.
struct About {
  Known first;        // the first input
  double number = 0;  // which one it is, of a number of the program's text
  Owner owner;
  const Settings* settings = nullptr;
  const std::string* group = nullptr;  // of a collective operation the processes that run it
};

// How an operation was asked to compute, and with which processes.
PyObject* python_settings_of(const About& about) {
  PyObject* settings = python_settings(about.settings);
  if (settings == nullptr || about.group == nullptr || about.group->empty()) return settings;
  PyObject* group = PyUnicode_FromStringAndSize(about.group->data(), static_cast<Py_ssize_t>(about.group->size()));
  if (group == nullptr || PyDict_SetItemString(settings, "group", group) != 0) Py_CLEAR(settings);
  Py_XDECREF(group);
  return settings;
}

std::int64_t ask_for_site(const char* name, std::int64_t forward, std::int64_t module, int autocast, int place,
                          const About& about) {
  if (interpreter_ends()) return -1;
  const Interpreter held;
  PyObject* frames = frames_of_thread();
  PyObject* site = frames == nullptr
                       ? nullptr
                       : PyObject_CallFunction(g_describe, "sN(LLsiLi)(LL)dN", name, frames, static_cast<long long>(forward),
                                               static_cast<long long>(module),
                                               autocast == 0 ? "" : c10::toString(static_cast<at::ScalarType>(autocast - 1)),
                                               place, static_cast<long long>(about.owner.variable), about.owner.written ? 1 : 0,
                                               static_cast<long long>(about.first.reference < 0 ? -1 : about.first.site),
                                               static_cast<long long>(about.first.reference & 0xFFFF), about.number,
                                               python_settings_of(about));
  const std::int64_t told = site == nullptr ? -1 : PyLong_AsLongLong(site);
  if (PyErr_Occurred() != nullptr) PyErr_Clear();
  Py_XDECREF(site);
  return told;
}

// What tells sites at one place apart, beside how the operation was asked to compute.
std::uint64_t place_key(const char* name, std::uint64_t stack, int autocast, int place, const About& about) {
  const Thread& thread = t_thread;
  const Node* node = node_of_thread();
  const std::int64_t forward = node == nullptr ? -1 : node->forward;
  const std::int64_t module = thread.modules.numbers.empty() ? -1 : thread.modules.numbers.back();
  std::uint64_t key = mixed(stack, reinterpret_cast<std::uintptr_t>(name));
  key = mixed(key, static_cast<std::uint64_t>(forward));
  key = mixed(key, static_cast<std::uint64_t>(module) << 16 ^ static_cast<std::uint64_t>(autocast) << 8 ^
                       static_cast<std::uint64_t>(place + 1));
  const Owner& owner = about.owner;
  if (about.number != 0) key = mixed(key, bits_of(about.number));
  if (owner.variable != kNobody) key = mixed(key, static_cast<std::uint64_t>(owner.variable) << 1 | owner.written);
  if (about.group != nullptr && !about.group->empty()) key = mixed(key, std::hash<std::string>{}(*about.group));
  return key;
}

// A site at a place, null where it is not known: that of these settings, or, where they change all the time, of any.
KnownSite* known_site(std::uint64_t here, std::uint64_t* key) {
  if (*key != here) {
    const auto found = g_sites.find(*key);
    if (found != g_sites.end()) return &found->second;
    if (g_variants[here] < kMostVariants) return nullptr;
    *key = here;
  }
  const auto found = g_sites.find(here);
  return found == g_sites.end() ? nullptr : &found->second;
}

void tell_varies(std::int64_t site) {
  if (site < 0 || interpreter_ends()) return;
  const Interpreter held;
  PyObject* done = PyObject_CallFunction(g_varies, "L", static_cast<long long>(site));
  if (done == nullptr) PyErr_Clear();
  Py_XDECREF(done);
}

// Fractions that are not those of the calls before are nothing to say of the site.
std::int64_t site_with(SeenSite* seen, std::uint64_t fractions) {
  if (seen->known.fractions != fractions && seen->known.fractions != kVarying) {
    seen->known.fractions = kVarying;
    {
      const std::lock_guard<std::mutex> guard(g_sites_mutex);
      g_sites[seen->key].fractions = kVarying;
    }
    tell_varies(seen->known.site);
  }
  return seen->known.site;
}

std::int64_t site_of(const char* name, std::uint64_t stack, int autocast, int place, About about = {}) {
  const std::uint64_t here = place_key(name, stack, autocast, place, about);
  const SettingsKey wanted = about.settings == nullptr ? SettingsKey{here} : with_settings(here, *about.settings);
  const std::uint32_t recording = g_recording.load(std::memory_order_relaxed);
  std::uint64_t key = wanted.whole;
  SeenSite& seen = seen_site(key);
  if (seen.key == key && seen.recording == recording) return site_with(&seen, wanted.fractions);
  {
    std::unique_lock<std::mutex> guard(g_sites_mutex);
    if (const KnownSite* known = known_site(here, &key); known != nullptr) {
      SeenSite found{key, recording, *known};
      guard.unlock();
      if (key == wanted.whole) seen = found;
      return site_with(&found, wanted.fractions);
    }
  }
  // The lock is not held meanwhile: another thread may hold the interpreter and wait for it.
  if (key != wanted.whole) about.settings = nullptr;  // they change all the time
  const Node* node = node_of_thread();
  const std::int64_t module = t_thread.modules.numbers.empty() ? -1 : t_thread.modules.numbers.back();
  const std::int64_t site = ask_for_site(name, node == nullptr ? -1 : node->forward, module, autocast, place, about);
  if (site == -1) return site;
  const std::lock_guard<std::mutex> guard(g_sites_mutex);
  const std::uint64_t fractions = about.settings == nullptr ? kVarying : wanted.fractions;
  if (g_sites.emplace(key, KnownSite{site, fractions}).second && key != here) ++g_variants[here];
  return site;
}

std::uint16_t device_number(const at::Tensor& tensor) {
  return tensor.is_cpu() ? g_cpu.load(std::memory_order_relaxed) : g_log->device(tensor.device().str().c_str());
}

// The frames do not change while an operation runs, but below one that calls the program's own code.
std::uint64_t stack_of(Context* context) {
  if (context->stack == 0) context->stack = stack_hash();
  return context->stack;
}

// What was found bad after its operation had returned, by execution and site.
std::mutex g_late_mutex;
std::unordered_set<std::uint64_t> g_late;

std::uint64_t late_key(std::int64_t execution, std::uint32_t site) { return mixed(static_cast<std::uint64_t>(execution), site); }

// A GPU goes on with nothing behind an operation that fails on it, which Python hears of at a later one: the first whose
// result was never measured is the one that failed.
std::optional<Failure> g_failed_on_gpu;

Refused refused(const Weak& weak, const Known& known);

void note_failure_on_gpu(const Asked& asked) {
  const std::lock_guard<std::mutex> guard(g_late_mutex);
  if (g_failed_on_gpu.has_value()) return;
  Failure failure{asked.event.site, g_step.load()};
  for (const Source& source : asked.sources) {
    Known known;
    known.reference = source.reference;
    failure.given.push_back(refused(source.tensor, known));
  }
  g_failed_on_gpu = std::move(failure);
}

void record_measured(const Asked& asked) {
  const bool bad = g_log->tensor(&asked.event) != 0;
  if (asked.event.health == nullptr && !asked.refused) note_failure_on_gpu(asked);
  if (!bad) return;
  const std::lock_guard<std::mutex> guard(g_late_mutex);
  g_late.insert(late_key(asked.event.execution, asked.event.site));
}

bool is_bad(std::int64_t reference, std::uint32_t site, bool known) {
  if (known || reference == kUnknown) return known;
  const std::lock_guard<std::mutex> guard(g_late_mutex);
  return !g_late.empty() && g_late.count(late_key(reference >> 16, site)) != 0;
}

Sources sources_of(const Context* context) {
  Sources sources;
  if (context == nullptr) return sources;
  for (const Given& given : context->given) {
    if (given.alive.has_value()) sources.push_back({*given.alive, given.known.reference});
  }
  return sources;
}

// Returns whether it is known not to be finite; what a GPU measures is not known yet. `context` is what has made it.
bool append(const at::Tensor& tensor, std::int64_t execution, std::uint32_t site, std::uint16_t slot,
            const Context* context = nullptr) {
  TensordbgTensor event{};
  describe(tensor, &event);
  event.execution = execution;
  event.site = site;
  event.slot = slot;
  event.device = device_number(tensor);
  if (g_gpu.measures(tensor) && g_log->measures(site, event.dtype) != 0) {
    if (t_thread.wishes != nullptr) return t_thread.wishes->push_back({tensor, event, sources_of(context)}), false;
    if (g_gpu.ask(tensor, event, sources_of(context), record_measured)) return false;
  }
  g_gpu.settle(record_measured);  // what was computed before comes before it
  return g_log->tensor(&event) != 0;
}

// Records what others have sent.
void arrive(const Arrival& arrival) {
  const at::Tensor tensor = arrival.tensor();
  if (!tensor.defined()) return;
  const Sending& sending = *arrival.sending;
  if (sending.execution < 0) return g_makers.forget(tensor);  // its step was left out, or it failed
  const bool bad = append(tensor, sending.execution, sending.site, arrival.slot);
  g_makers.made_uncounted(tensor, Maker{sending.execution << 16 | arrival.slot, sending.site, 0, bad});
}

// Whether something is still on its way into a tensor's memory; what has come is recorded.
bool is_awaited(const at::Tensor& tensor) { return g_arrivals.any() && g_arrivals.settle(storage_of(tensor), arrive); }

Known find(const at::Tensor& tensor) {
  is_awaited(tensor);
  return g_makers.find(tensor);
}

// A variable as it is now: one site stands for all that it holds before something writes it.
Known enter_variable(const at::Tensor& tensor, std::int64_t variable) {
  static const char* const kParameter = "Parameter";
  const Known before = find(tensor);
  const std::int64_t site = site_of(kParameter, 1, 0, -1, {{}, 0, Owner{variable, false}});
  if (site < 0 || g_step.load() < 0) return {};
  const std::size_t inputs = before.reference == kUnknown ? 0 : 1;
  const std::int64_t execution = g_log->begin(static_cast<std::uint32_t>(site), g_step.load(), &before.reference, inputs);
  if (execution < 0) return {};
  const bool bad = append(tensor, execution, static_cast<std::uint32_t>(site), 0);
  g_makers.made(tensor, Maker{execution << 16, static_cast<std::uint32_t>(site), 0, bad});
  return {execution << 16, kUnknown, false, static_cast<std::uint32_t>(site), bad};
}

// What comes from outside is recorded where it is first used.
Known enter(const at::Tensor& tensor, Context* context, int place) {
  static const char* const kInput = "Input";
  static const char* const kSet = "Set";  // what elements are set to, if Python finds that the program does that
  if (const std::int64_t variable = g_makers.variable_of(tensor); variable != kNobody) return enter_variable(tensor, variable);
  const bool may_be_set = context->operation != nullptr && context->operation->enters && is_one_number(tensor);
  const double number = may_be_set ? std::numeric_limits<double>::quiet_NaN() : 0;  // it changes from call to call
  const std::int64_t site =
      site_of(may_be_set ? kSet : kInput, stack_of(context), context->autocast, place, {{}, number, {}});
  if (site < 0) return {};
  const std::int64_t execution = g_log->begin(static_cast<std::uint32_t>(site), g_step.load(), nullptr, 0);
  if (execution < 0) return {};
  const bool bad = append(tensor, execution, static_cast<std::uint32_t>(site), 0);
  g_makers.made(tensor, Maker{execution << 16, static_cast<std::uint32_t>(site), 0, bad});
  return {execution << 16, kUnknown, false, static_cast<std::uint32_t>(site), bad};
}

// The number in a value that is one, or in a tensor that stands for one.
bool is_number(const c10::IValue& value, double* number) {
  if (value.isDouble()) *number = value.toDouble();
  else if (value.isInt()) *number = static_cast<double>(value.toInt());
  else return false;
  return true;
}

double number_in(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kDouble ? *tensor.const_data_ptr<double>()
         : tensor.scalar_type() == at::kLong ? static_cast<double>(*tensor.const_data_ptr<std::int64_t>())
                                             : std::numeric_limits<double>::quiet_NaN();
}

bool is_number(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->is_wrapped_number() && tensor.is_cpu() && has_elements(tensor) &&
         (tensor.scalar_type() == at::kDouble || tensor.scalar_type() == at::kLong);
}

// The numbers that stood in one place of the program; of many it is none of the text's.
struct Numbers {
  c10::SmallVector<std::pair<std::uint64_t, Known>, 2> known;
};
constexpr std::size_t kMostNumbers = 8;
std::mutex g_numbers_mutex;
std::unordered_map<std::uint64_t, Numbers> g_numbers;
std::unordered_map<std::uint64_t, Known> g_infinities;  // those of the text, and NaN

// Those that this thread met of late.
struct SeenNumber {
  std::uint64_t key = 0;
  std::uint64_t bits = 0;
  std::uint32_t recording = 0;
  Known known;
};
SeenNumber& seen_number(std::uint64_t key) {
  constexpr std::size_t kSeen = 512;
  static thread_local SeenNumber seen[kSeen];
  return seen[key % kSeen];
}

// What is recorded of a number, once for each place and value.
Known known_number(Context* context, double number, int place) {
  const std::uint64_t key = mixed(stack_of(context), static_cast<std::uint64_t>(place) << 48 ^
                                                         reinterpret_cast<std::uintptr_t>(context->operation));
  const std::uint64_t bits = bits_of(number);
  SeenNumber& seen = seen_number(mixed(key, bits));
  const bool may_be_seen = std::isfinite(number);
  if (may_be_seen && seen.key == key && seen.bits == bits && seen.recording == g_recording.load(std::memory_order_relaxed)) {
    return seen.known;
  }
  {
    const std::lock_guard<std::mutex> guard(g_numbers_mutex);
    // Autograd computes some of its own: what stands in nobody's text is no infinity that somebody wrote.
    if (!std::isfinite(number) && !t_thread.nodes.empty()) return g_infinities[bits];
    const Numbers& found = g_numbers[key];
    for (const auto& [value, known] : found.known) {
      if (value != bits) continue;
      if (may_be_seen) seen = {key, bits, g_recording.load(std::memory_order_relaxed), known};
      return known;
    }
    if (found.known.size() >= kMostNumbers) return {};
  }
  static const char* const kNumber = "Number";
  const std::int64_t site = site_of(kNumber, stack_of(context), context->autocast, place, {{}, number, {}});
  const std::int64_t execution =
      site < 0 ? -1 : g_log->begin(static_cast<std::uint32_t>(site), g_step.load(), nullptr, 0);
  if (execution < 0) return {};
  TensordbgTensor event{};
  event.execution = execution;
  event.site = static_cast<std::uint32_t>(site);
  event.device = g_cpu.load(std::memory_order_relaxed);
  event.dtype = dtype_number(at::kDouble);
  event.data = &number;
  const bool bad = g_log->tensor(&event) != 0;
  const Known known{execution << 16, kUnknown, false, static_cast<std::uint32_t>(site), bad};
  const std::lock_guard<std::mutex> guard(g_numbers_mutex);
  g_numbers[key].known.emplace_back(bits, known);
  if (!std::isfinite(number)) g_infinities[bits] = known;
  return known;
}

void find_part_places(Context* context) {
  PartPlaces& places = context->part_places;
  places.whole.clear();
  places.parts.clear();
  places.size = context->given.size();
  for (std::uint32_t at = 0; at < places.size; ++at) {
    const int part = context->given[at].part;
    if (part < 0) {
      places.whole.push_back(at);
      continue;
    }
    if (places.parts.size() <= static_cast<std::size_t>(part)) places.parts.resize(static_cast<std::size_t>(part) + 1);
    places.parts[static_cast<std::size_t>(part)].push_back(at);
  }
}

// Calls `look` with the place of all that is given to one part of a list, and of what is given to each; in order.
template <typename Look>
void each_given(Context* context, int part, Look look) {
  constexpr std::size_t kFew = 8;
  auto& given = context->given;
  if (part == kWhole || given.size() <= kFew) {
    for (std::size_t at = 0; at < given.size(); ++at) {
      if (part == kWhole || given[at].part == kWhole || given[at].part == part) look(at);
    }
    return;
  }
  if (context->part_places.size != given.size()) find_part_places(context);
  const PartPlaces& places = context->part_places;
  static const c10::SmallVector<std::uint32_t, 4> none;
  const auto& own = static_cast<std::size_t>(part) < places.parts.size() ? places.parts[static_cast<std::size_t>(part)] : none;
  std::size_t whole = 0;
  for (const std::uint32_t at : own) {
    for (; whole < places.whole.size() && places.whole[whole] < at; ++whole) look(places.whole[whole]);
    look(at);
  }
  for (; whole < places.whole.size(); ++whole) look(places.whole[whole]);
}

// A place among the inputs of one operation, of all in a line.
int place_of(const Context& context) { return context.operation->number << 8 | static_cast<int>(context.given.size() & 0xFF); }

// Whether it is asked to compute as its layer does while it learns.
template <typename Values>
bool is_training(const Operation& operation, const Values& values) {
  const auto place = static_cast<std::size_t>(operation.trains);
  return operation.trains >= 0 && place < values.size() && values[place].isBool() && values[place].toBool();
}

void look_at_inputs(const at::RecordFunction& fn, Context* context) {
  const Operation& operation = *context->operation;
  std::size_t arguments = 0;
  const auto values = last(fn.inputs(), operation.takes);
  int kept = 0;
  for (const c10::IValue& value : values) {
    const std::size_t argument = arguments++;
    const bool keeps = argument < operation.keeps.size() && operation.keeps[argument];
    const bool writes = argument < operation.writes.size() && operation.writes[argument] &&
                        !(keeps && !is_training(operation, values));
    const bool reads = argument >= operation.reads.size() || operation.reads[argument];
    const bool limit = argument < operation.limits.size() && operation.limits[argument];
    const auto give = [context, limit](double number) {  // an infinite limit is none
      context->given.push_back({nullptr, nullptr, {}, kWhole, !limit || std::isfinite(number), number});
    };
    double number = 0;
    if (argument < operation.numbers.size() && operation.numbers[argument] && is_number(value, &number)) {
      give(number);
      continue;
    }
    if (argument < operation.settings.size() && !operation.settings[argument].empty()) {
      if (node_of_thread() == nullptr) context->settings.push_back({operation.settings[argument].c_str(), value});
      continue;
    }
    each_tensor(value, [&](const at::Tensor& tensor, int place) {
      const int part = operation.of_each ? place : kWhole;
      if (is_number(tensor)) return give(number_in(tensor));
      if (!has_elements(tensor)) {
        context->wraps = true;
        return;
      }
      context->relevant = true;
      context->early = context->early || is_awaited(tensor);
      Known known = g_makers.find(tensor);
      if (known.unwritten && operation.enters) known.from_outside = true;
      if (known.from_outside) {
        known = reads && !operation.unwritten && g_step.load() >= 0
                    ? enter(tensor, context, place_of(*context))
                    : Known{};
      }
      context->given.push_back({tensor.unsafeGetTensorImpl(), storage_of(tensor), known, part});
      context->given.back().alive.emplace(tensor.getIntrusivePtr());
      if (!writes) return;
      context->written.push_back({tensor.unsafeGetTensorImpl(), std::nullopt, keeps ? kKept - kept++ : part});
      if (operation.gives == 0 || keeps) context->written.back().tensor.emplace(tensor.getIntrusivePtr());
    });
  }
}

// What this process puts into a collective operation, and where it gets something out.
void look_at_part(const at::RecordFunction& fn, Context* context) {
  const auto inputs = last(fn.inputs(), context->operation->takes);
  const Part part = part_in(*context->operation->collective, inputs);
  context->group = part.group;
  context->relevant = true;
  const auto at = [&](int position) { return position < 0 ? c10::IValue() : inputs[static_cast<std::size_t>(position)]; };
  if (part.puts_in) {
    each_tensor(at(part.what->takes), [&](const at::Tensor& tensor, int) {
      if (!has_elements(tensor)) return;
      Known known = find(tensor);
      if (known.from_outside) known = g_step.load() >= 0 ? enter(tensor, context, place_of(*context)) : Known{};
      context->given.push_back({tensor.unsafeGetTensorImpl(), storage_of(tensor), known});
    });
  }
  context->sending = std::make_shared<Sending>();
  if (!part.gets) return;
  std::uint16_t slot = 0;
  // Another thread may begin to write it before the operation has ended.
  each_tensor(at(part.what->gives), [&](const at::Tensor& tensor, int) {
    if (has_elements(tensor) && storage_of(tensor) != nullptr && tensor.layout() == at::kStrided) {
      Arrival arrival = arrival_of(tensor);
      arrival.slot = slot;
      arrival.sending = context->sending;
      g_makers.awaits(tensor);
      g_arrivals.add(std::move(arrival));
    }
    ++slot;
  });
}

int autocast_of(const Context* around) {
  if (at::autocast::is_autocast_enabled(at::kCPU)) return static_cast<int>(at::autocast::get_autocast_dtype(at::kCPU)) + 1;
  // An operation that autocast calls runs with it switched off.
  return around == nullptr ? 0 : around->autocast;
}

// Whether what runs now is part of a kernel, whose results count alone.
bool is_closed(const Context* around) { return around != nullptr && around->operation->closed && !around->wraps; }

enum class Passing { kNo, kUnseen, kDifferentiated };

// Whether an operation makes nothing. What a view shows is known by its memory, once what it is a view of is.
Passing look_at_passing(const at::RecordFunction& fn, const Operation& operation, const Context* around) {
  bool differentiated = false;
  bool dense = true;
  for (const c10::IValue& value : last(fn.inputs(), operation.takes)) {
    each_tensor(value, [&](const at::Tensor& tensor, int) {
      if (!has_elements(tensor)) return;
      differentiated = differentiated || (fn.seqNr() >= 0 && tensor.requires_grad());
      if (!operation.is_view) return;
      dense = dense && tensor.has_storage();
      if (!dense || !find(tensor).from_outside || g_step.load() < 0) return;
      Context context(&operation);
      context.autocast = autocast_of(around);
      enter(tensor, &context, place_of(context));
    });
  }
  return !dense ? Passing::kNo : differentiated ? Passing::kDifferentiated : Passing::kUnseen;
}

std::unique_ptr<at::ObserverContext> start_light(const at::RecordFunction& fn, const Operation& operation) {
  auto light = std::make_unique<Light>(&operation);
  for (const c10::IValue& value : last(fn.inputs(), operation.takes)) {
    each_tensor(value, [&](const at::Tensor& tensor, int) {
      if (has_elements(tensor)) light->given.emplace_back(tensor.getIntrusivePtr());
    });
  }
  return light;
}

// Of what passes a whole context is needed alone for what runs within, or is differentiated.
std::unique_ptr<at::ObserverContext> start_passing(const at::RecordFunction& fn, const Operation& operation, Passing passing) {
  const int autocast = operation.composite ? autocast_of(t_thread.innermost) : 0;
  if (passing == Passing::kUnseen && autocast == 0) return start_light(fn, operation);
  auto context = std::make_unique<Context>(&operation);
  for (const c10::IValue& value : last(fn.inputs(), operation.takes)) {
    each_tensor(value, [&](const at::Tensor& tensor, int) {
      if (!has_elements(tensor)) return;
      context->given.push_back({tensor.unsafeGetTensorImpl()});
      context->given.back().alive.emplace(tensor.getIntrusivePtr());
    });
  }
  context->around = t_thread.innermost;
  context->autocast = autocast;
  context->relevant = passing == Passing::kDifferentiated;
  context->passes = true;
  t_thread.innermost = context.get();
  return context;
}

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
  if (g_debugger.waits() && t_thread.calls++ == 0) t_thread.told = false;
  if (!g_on.load(std::memory_order_relaxed) || t_thread.busy || t_thread.compiled > 0 || g_log->recording() == 0) return nullptr;
  if (t_thread.raised && std::uncaught_exceptions() == 0) t_thread.raised = false;
  try {
    const Operation& operation = operation_of(fn);
    if (!operation.known || (is_closed(t_thread.innermost) && !operation.unwritten) || is_carrying_out()) return nullptr;
    const Busy busy;
    if (operation.waits) return nullptr;
    if (operation.passes) {
      const Passing passing = look_at_passing(fn, operation, t_thread.innermost);
      if (passing != Passing::kNo) return start_passing(fn, operation, passing);
    }
    auto context = std::make_unique<Context>(&operation);
    context->around = t_thread.innermost;
    context->autocast = autocast_of(context->around);
    context->order = g_makers.order();
    if (operation.collective != nullptr) look_at_part(fn, context.get());
    else look_at_inputs(fn, context.get());
    if (context->early) return nullptr;
    if (g_debugger.waits()) tell_before(fn, operation);
    t_thread.innermost = context.get();
    return context;
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("an unknown fault");
  }
  return nullptr;
}

std::int64_t site_of(Context* context, const Owner& owner) {
  return site_of(context->operation->name.c_str(), stack_of(context), context->autocast, context->place,
                 {context->given.empty() ? Known{} : context->given.front().known, 0, owner, &context->settings, &context->group});
}

std::int64_t site_of(Context* context) {
  if (context->site == -1) context->site = site_of(context, Owner{});
  return context->site;
}

// Which of the operations of its kind one is, of those that a node of autograd runs: the gradients of two operands differ.
int place_in_node(const Operation& operation) {
  constexpr int kMost = 3;
  Node* node = node_of_thread();
  if (node == nullptr) return -1;
  auto& done = node->done;
  const int before = static_cast<int>(std::count(done.begin(), done.end(), &operation));
  if (before < kMost) done.push_back(&operation);
  return before == 0 ? -1 : before - 1;
}

// Whose gradient or update an operation computes, as far as it is known.
Owner owner_of(Context* context, int part, const at::Tensor& tensor, bool written) {
  if (written) {
    if (const std::int64_t variable = g_makers.variable_of(tensor); variable != kNobody) return {variable, true};
  }
  const Thread& thread = t_thread;
  if (const Node* node = node_of_thread(); node != nullptr) return {node->variable, false};
  if (part == kWhole && (!thread.updating || !thread.modules.numbers.empty())) return {};
  Owner owner;
  each_given(context, part, [&](std::size_t at) {
    const Given& given = context->given[at];
    if (owner.variable != kNobody || given.tensor == nullptr || (part != kWhole && given.part != part)) return;
    owner.variable = given.known.owner;
  });
  return owner;
}

// Where the program reads: the line of its own, whatever computes for it.
std::int64_t reading_site() {
  return site_of("read", stack_hash(), 0, -1);
}

// A bad number that the program reads is a result of it.
void note_read(const Context* context) {
  g_gpu.settle(record_measured);  // a read waits for the GPU
  const auto bad = [](const Known& known) { return is_bad(known.reference, known.site, known.bad); };
  bool any = false;
  for (const Given& given : context->given) any = any || bad(given.known);
  if (!any) return;
  const std::int64_t where = reading_site();
  if (where < 0) return;
  for (const Given& given : context->given) {
    if (!bad(given.known) || given.known.reference == kUnknown) continue;
    const std::lock_guard<std::mutex> guard(g_reads_mutex);
    if (g_reads.size() < kMostReads) g_reads.emplace_back(given.known.reference, where);
  }
}

// ... also where no operation does it.
void on_read(const at::Tensor& tensor) {
  if (!g_on.load(std::memory_order_relaxed) || t_thread.busy || g_log->recording() == 0) return;
  const Busy busy;
  try {
    if (!has_elements(tensor)) return;
    Context context(nullptr);
    context.given.push_back({nullptr, nullptr, find(tensor)});
    note_read(&context);
  } catch (...) {
    fail("an unknown fault in a read");
  }
}

const Run* run_of(const Context& context, int part) {
  if (part >= 0) {
    const auto at = static_cast<std::size_t>(part);
    const int place = at < context.run_of_part.size() ? context.run_of_part[at] : -1;
    return place < 0 ? nullptr : &context.runs[static_cast<std::size_t>(place)];
  }
  for (const Run& run : context.runs) {
    if (run.part == part) return &run;
  }
  return nullptr;
}

// The execution of an operation, or of one part of a list that it goes through; -1 where nothing is recorded.
Run begin(Context* context, int part, const Owner& owner) {
  if (const Run* run = run_of(*context, part); run != nullptr) return *run;
  const std::int64_t step = g_step.load();
  if (step < 0) return {};
  if (context->runs.empty()) context->place = place_in_node(*context->operation);
  const std::int64_t site = owner.variable == kNobody ? site_of(context) : site_of(context, owner);
  if (site == kPlumbing) note_read(context);
  if (site < 0) return {};
  c10::SmallVector<std::int64_t, 8> inputs, before;
  each_given(context, part, [&](std::size_t place) {
    Given& given = context->given[place];
    if (given.is_number) given.known = known_number(context, given.number, static_cast<int>(place));
    if (!given.is_number || given.known.reference != kUnknown) inputs.push_back(given.known.reference);
    if (given.known.before != kUnknown) before.push_back(given.known.before);
    before.append(given.known.more.begin(), given.known.more.end());
  });
  inputs.append(before.begin(), before.end());
  const std::int64_t execution =
      g_log->begin(static_cast<std::uint32_t>(site), step, inputs.data(), inputs.size());
  context->site = site;
  context->runs.push_back({part, site, execution, owner.variable});
  if (part >= 0) {
    const auto at = static_cast<std::size_t>(part);
    if (context->run_of_part.size() <= at) context->run_of_part.resize(at + 1, -1);
    context->run_of_part[at] = static_cast<std::int32_t>(context->runs.size()) - 1;
  }
  return context->runs.back();
}

const Given* shares_memory(Context* context, const at::Tensor& tensor, int part) {
  const c10::StorageImpl* storage = storage_of(tensor);
  const Given* found = nullptr;
  if (storage == nullptr) return found;
  each_given(context, part, [&](std::size_t at) {
    if (found == nullptr && context->given[at].storage == storage) found = &context->given[at];
  });
  return found;
}

bool is_given(Context* context, const at::Tensor& tensor, int part) {
  bool found = false;
  each_given(context, part, [&](std::size_t at) { found = found || context->given[at].tensor == tensor.unsafeGetTensorImpl(); });
  return found;
}

bool is_written(const Context& context, const at::Tensor& tensor, int part) {
  const auto at = static_cast<std::size_t>(part);  // where it stands if all that is written is one list
  if (part >= 0 && at < context.written.size() && context.written[at].address == tensor.unsafeGetTensorImpl()) return true;
  for (const Written& each : context.written) {
    if (each.address == tensor.unsafeGetTensorImpl()) return true;
  }
  return false;
}

void look_at_output(Context* context, const at::Tensor& tensor, std::uint16_t slot, int part) {
  if (!has_elements(tensor)) return;
  const Operation& operation = *context->operation;
  const bool written = is_written(*context, tensor, part);
  Maker maker;
  const bool known = g_makers.maker(tensor, &maker);
  // An operation within this one has made it; or it is handed on as it was given.
  const bool within = known && operation.composite && maker.order > context->order;
  if (within || (known && !written && maker.order <= context->order)) return;
  if (operation.unwritten || (operation.first_only && slot > 0)) return g_makers.is_unwritten(tensor);
  if (operation.rebinds) return g_makers.rebind(tensor);
  if (!written) {
    if (is_given(context, tensor, part) && !operation.rearranges) return;
    if (const Given* base = shares_memory(context, tensor, part); base != nullptr) {
      if (base->known.reference != kUnknown) g_makers.is_view(tensor, base->known);
      return;
    }
  }
  // It made nothing itself: what it calls handed on what nobody has written, say.
  if (operation.composite) return;
  if (operation.copies && !context->given.empty() && context->given.back().known.unwritten) {
    return g_makers.is_unwritten(tensor);
  }
  const Run run = begin(context, part, owner_of(context, part, tensor, written));
  if (run.execution < 0) return;
  const auto site = static_cast<std::uint32_t>(run.site);
  const bool bad = append(tensor, run.execution, site, slot, context);
  g_makers.made(tensor, Maker{run.execution << 16 | slot, site, 0, bad, run.owner});
}

// The first operation to end since a node of autograd was made is the one that it differentiates.
void note_forward(const at::RecordFunction& fn, Context* context) {
  const std::int64_t sequence = fn.seqNr();
  if (sequence < 0 || !context->relevant || static_cast<std::int64_t>(at::sequence_number::peek()) <= sequence) return;
  Forward& forward = g_forwards[static_cast<std::size_t>(sequence) % kForwards];
  const std::uint64_t key = forward_key(fn.threadId(), sequence);
  if (forward.key.load(std::memory_order_relaxed) == key || site_of(context) < 0) return;
  forward.site.store(static_cast<std::uint32_t>(context->site));
  forward.key.store(key);
}

// What a collective operation writes is not there yet when it ends.
void begin_sending(const at::RecordFunction& fn, Context* context) {
  const auto returned = last(fn.outputs(), context->operation->gives);
  if (!returned.empty()) {  // it has not failed
    const Run run = begin(context, kWhole, {});
    context->sending->execution = run.execution;
    context->sending->site = static_cast<std::uint32_t>(std::max<std::int64_t>(run.site, 0));
  }
  context->sending->begin(returned.empty() ? nullptr : &returned.back());
}

// What an operation writes beside what it returns: of a variable a site of its own tells.
void look_at_kept(Context* context, std::uint16_t slot) {
  const std::int64_t site = context->site;
  for (const Written& each : context->written) {
    if (each.part > kKept || !each.tensor.has_value()) continue;
    auto alive = each.tensor->lock();
    if (!alive) continue;
    const at::Tensor tensor(std::move(alive));
    const std::uint16_t place = g_makers.variable_of(tensor) == kNobody ? slot++ : 0;
    look_at_output(context, tensor, place, each.part);
  }
  context->site = site;  // a gradient is that of the operation itself
}

void look_at_each_output(const at::RecordFunction& fn, Context* context) {
  if (context->operation->collective != nullptr) return begin_sending(fn, context);
  if (context->operation->hands_out) return note_read(context);
  const bool of_each = context->operation->of_each;
  std::uint16_t slot = 0;
  for (const c10::IValue& value : last(fn.outputs(), context->operation->gives)) {
    each_tensor(value, [&](const at::Tensor& tensor, int place) {
      look_at_output(context, tensor, of_each ? 0 : slot, of_each ? place : kWhole);
      ++slot;
    });
  }
  // What is written without being returned, as by a fused optimizer; nothing is where an operation failed.
  if (slot != 0) return look_at_kept(context, slot);
  if (context->operation->gives > 0) return;
  int list = -1;
  for (const Written& each : context->written) {
    if (each.part <= 0) ++list;
    const auto number = static_cast<std::uint16_t>(of_each ? list : slot++);
    if (!each.tensor.has_value()) continue;
    if (auto tensor = each.tensor->lock()) look_at_output(context, at::Tensor(std::move(tensor)), number, each.part);
  }
}

void look_at_outputs(const at::RecordFunction& fn, Context* context) {
  if (!context->operation->of_each || !g_gpu.is_on()) return look_at_each_output(fn, context);
  std::vector<Wish> wishes;
  t_thread.wishes = &wishes;
  try {
    look_at_each_output(fn, context);
  } catch (...) {
    t_thread.wishes = nullptr;
    throw;
  }
  t_thread.wishes = nullptr;
  g_gpu.ask_for_all(std::move(wishes), record_measured);
}

// Says where a view was made of which it is one.
template <typename Site>
void note_view(const at::RecordFunction& fn, const Weak* of, Site site) {
  const auto alive = of == nullptr ? c10::intrusive_ptr<c10::TensorImpl>() : of->lock();
  if (!alive) return;
  const at::Tensor given(alive);
  if (given.is_nested()) return;
  const std::int64_t made_at = site();
  if (made_at < 0) return;
  for (const c10::IValue& value : last(fn.outputs(), 1)) {
    each_tensor(value, [&](const at::Tensor& view, int) {
      if (has_elements(view) && !view.is_nested()) t_thread.views.made(view, given, made_at);
    });
  }
}

Refused refused(const Weak& weak, const Known& known) {
  const auto alive = weak.lock();
  if (!alive) return {known.reference, {}, {}};
  const at::Tensor tensor(alive);
  const Known found = known.reference == kUnknown ? g_makers.find(tensor) : known;
  return {found.reference, shown(tensor), t_thread.views.behind(alive.get())};
}

// What an operation was given that has raised; the innermost one ends first.
void note_failure(Failure failure) {
  failure.step = g_log->recording() == 0 ? -1 : g_step.load();
  if (failure.site >= 0) g_failures.add(std::move(failure));
  t_thread.raised = true;
}

void note_failure(Context* context) {
  Failure failure{site_of(context)};
  for (const Given& given : context->given) {
    if (given.alive.has_value()) failure.given.push_back(refused(*given.alive, given.known));
  }
  note_failure(std::move(failure));
}

void end_light(const at::RecordFunction& fn, const Light& light) {
  const char* const name = light.operation->name.c_str();
  if (raises(light.raising)) {
    if (t_thread.raised) return;
    Failure failure{site_of(name, stack_hash(), light.autocast, -1)};
    for (const Weak& given : light.given) failure.given.push_back(refused(given, {}));
    return note_failure(std::move(failure));
  }
  if (light.operation->is_view) note_view(fn, light.given.empty() ? nullptr : &light.given.front(), [&] {
    return site_of(name, stack_hash(), light.autocast, -1);
  });
}

void on_end(const at::RecordFunction& fn, at::ObserverContext* plain) {
  if (g_debugger.waits() && t_thread.calls > 0) --t_thread.calls;
  if (plain == nullptr) return;
  auto* running = static_cast<Running*>(plain);
  auto* context = running->light ? nullptr : static_cast<Context*>(running);
  if (context != nullptr) t_thread.innermost = context->around;
  if (!g_on.load(std::memory_order_relaxed) || t_thread.busy) return;
  const Busy busy;
  try {
    if (context == nullptr) return end_light(fn, *static_cast<Light*>(running));
    if (raises(context->raising)) {
      if (!t_thread.raised) note_failure(context);
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

constexpr std::int64_t kSomeGradient = -2;  // in place of the forward operation's site: it is not known

// Begins a node of autograd.
std::unique_ptr<at::ObserverContext> on_backward(const at::RecordFunction& fn) {
  if (t_thread.raised && std::uncaught_exceptions() == 0) t_thread.raised = false;
  Node node;
  node.forward = kSomeGradient;
  if (fn.seqNr() >= 0) {
    const Forward& forward = g_forwards[static_cast<std::size_t>(fn.seqNr()) % kForwards];
    if (forward.key.load() == forward_key(fn.forwardThreadId(), fn.seqNr())) node.forward = forward.site.load();
  }
  if (const at::Tensor* variable = summed_for(fn)) node.variable = g_makers.variable_of(*variable);
  t_thread.nodes.push_back(std::move(node));
  return nullptr;
}

void tell_gradient(std::int64_t variable, const Maker& maker) {
  static std::mutex mutex;
  static std::unordered_set<std::uint64_t> told;
  const auto slot = static_cast<std::uint64_t>(maker.reference) & 0xFFFF;
  {
    const std::lock_guard<std::mutex> guard(mutex);
    const std::uint64_t key = mixed(static_cast<std::uint64_t>(variable) << 32 | maker.site, slot);
    if (!told.insert(mixed(key, g_started)).second) return;
  }
  if (interpreter_ends()) return;
  const Interpreter held;
  PyObject* done = PyObject_CallFunction(g_gradient, "LLL", static_cast<long long>(variable),
                                         static_cast<long long>(maker.site), static_cast<long long>(slot));
  if (done == nullptr) PyErr_Clear();
  Py_XDECREF(done);
}

// A node of autograd that has raised before it computed anything: its graph is gone, or what it needs was overwritten.
void note_failed_node(const at::RecordFunction& fn) {
  if (!g_on.load(std::memory_order_relaxed) || t_thread.busy || std::uncaught_exceptions() == 0) return;
  const Busy busy;
  try {
    if (!t_thread.raised) note_failure(Failure{site_of(fn.name(), stack_hash(), 0, -1)});
  } catch (...) {
    fail("an unknown fault in an error of a backward pass");
  }
}

void on_backward_end(const at::RecordFunction& fn, at::ObserverContext*) {
  if (t_thread.nodes.empty()) return;
  note_failed_node(fn);
  const std::int64_t variable = t_thread.nodes.back().variable;
  t_thread.ended = std::move(t_thread.nodes.back());
  t_thread.ended.variable = kNobody;
  t_thread.ends = true;
  t_thread.nodes.pop_back();
  if (variable == kNobody || !g_on.load(std::memory_order_relaxed) || g_step.load() < 0) return;
  const at::Tensor* of = summed_for(fn);
  if (of == nullptr || !of->grad().defined()) return;
  const Maker maker = g_makers.own(of->grad(), variable);
  if (maker.reference != kUnknown) tell_gradient(variable, maker);
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

#include "compiled_calls.h"

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

#include "failures_told.h"

PyMethodDef kMethods[] = {
    {"start", start, METH_VARARGS, "(log table, describe, varies, fail, gradient, TensorBase): sees all operations from now on."},
    {"stop", stop, METH_NOARGS, "Sees none from now on."},
    {"tell_debugger", tell_debugger, METH_VARARGS, "(before, behind): see debugger.h."},
    {"measure_on_gpu", measure_on_gpu, METH_VARARGS, "(kernels, kind of device): see gpu_health.h."},
    {"set_step", set_step, METH_O, "(step): what runs now belongs to it; nothing is recorded where it is -1."},
    {"rest", rest, METH_O, "(yes or no): sees no operations for a while, or sees them again."},
    {"watch_modules", watch_modules, METH_VARARGS, "(begin, gives, gives_many): whom to ask and tell of modules."},
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
    {"leave_compiled", leave_compiled, METH_VARARGS, "(results, keys): the call is over."},
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
