// The check of a session's runs: an operation that TensorFlow's own debugger puts behind every tensor of a run when it is
// told to. What takes the tensor waits for it, so the first check that fails is that of the operation which made the
// first bad number.
#include <dlfcn.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensorflow/api.h"
#include "tensorflow/check_session_steps.h"
#include "tensorflow/input_tensor.h"
#include "tensorflow/interpreter.h"
#include "tensorflow/kernel_failure.h"
#include "tensorflow/session_names.h"

namespace nb = nanobind;

namespace tensordbg {
namespace {

using namespace tensorflow;  // NOLINT  the C API under its own names
using Done = std::function<void()>;

constexpr char kCheck[] = "TensordbgSessionCheck";

std::atomic<std::uint64_t> checking{0};
// (run, node, slot, frame, iteration, tensor, held) -> the message, or None to let it pass. It is never freed: a kernel
// may hold it.
Asked judge;
std::atomic<bool> lenient{false};

std::mutex runs_mutex;
std::unordered_map<std::int64_t, std::shared_ptr<CheckedRun>> runs;

std::shared_ptr<CheckedRun> find_run(std::int64_t number) {
  const std::lock_guard<std::mutex> lock(runs_mutex);
  const auto found = runs.find(number);
  return found == runs.end() ? nullptr : found->second;
}

struct SessionCheck {
  std::int64_t number = 0;
  std::shared_ptr<CheckedRun> run;
  Source output;
  bool checked = false;
  // Whether what takes the tensor must wait for other checks.
  std::shared_ptr<std::atomic<bool>> waits = std::make_shared<std::atomic<bool>>(false);
  // generation << 2 | the kinds of bad numbers that were let pass here.
  std::atomic<std::uint64_t> passed{0};
};

void* create(TF_OpKernelConstruction* construction) {
  auto* check = new SessionCheck;
  check->number = integer_attribute(construction, "run");
  const auto run = find_run(check->number);
  const auto tensor = watched_tensor(api.OpKernelConstruction_GetName(construction));
  if (run == nullptr || !tensor || tensor->slot > 63) return check;
  const int place = run->find(tensor->node);
  if (place < 0) return check;
  check->run = run;
  check->output = {place, tensor->slot};
  check->checked = (run->node(place).checked >> tensor->slot & 1) != 0;
  *check->waits = !run->node(place).waits.empty();
  run->add_kernel(check->output);
  return check;
}

std::optional<std::string> ask(const SessionCheck& check, std::int64_t step, Turn turn, const Given& tensor) {
  const Interpreter interpreter;
  if (!judge.is_set()) return std::nullopt;  // the checks were stopped while this one waited
  try {
    std::vector<std::shared_ptr<Given>> kept;
    const nb::object held = nb::cpp_function([&](int node, int slot) -> nb::object {
      const auto found = check.run->held(step, turn, {node, slot});
      if (found == nullptr) return nb::none();
      kept.push_back(found);
      return found->described();
    });
    const nb::object answer = judge.get()(check.number, check.output.first, check.output.second, turn.first,
                                          turn.second, tensor.described(), held);
    if (answer.is_none()) return std::nullopt;
    return nb::cast<std::string>(answer);
  } catch (const std::exception& error) {
    return std::string("!!! Detected Infinity or NaN !!! (no more can be said: ") + error.what() + ")";
  }
}

// What there is to be said of a bad number, if it is not let pass.
std::optional<std::string> look_into(SessionCheck* check, std::int64_t step, Turn turn, const Given& tensor,
                                     std::uint64_t generation) {
  const int kinds = tensor.kinds();
  const std::uint64_t passed = check->passed.load(std::memory_order_relaxed);
  const int known = passed >> 2 == generation ? static_cast<int>(passed & 3) : 0;
  if ((kinds & ~known) != 0) {
    if (lenient && !made_here(kinds, check->run->incoming(step, turn, check->output.first))) return std::nullopt;
    if (interpreter_ends()) return std::nullopt;
    const std::optional<std::string> message = ask(*check, step, turn, tensor);
    if (message) return message;
    check->passed.store(generation << 2 | static_cast<std::uint64_t>(known | kinds), std::memory_order_relaxed);
  }
  check->run->note_passed(step, kinds);
  return std::nullopt;
}

// Lets go those who wait for a check that does not come: its operation failed, or is not run this time.
class Watchdog {
 public:
  void guard(std::shared_ptr<Waiter> waiter, std::shared_ptr<std::atomic<bool>> waits) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back({std::chrono::steady_clock::now() + kPatience, std::move(waiter), std::move(waits)});
    if (!started_) std::thread([this] { watch(); }).detach();
    started_ = true;
    if (waiting_.size() == 1) changed_.notify_one();
  }

 private:
  static constexpr std::chrono::seconds kPatience{2};
  static constexpr std::chrono::milliseconds kInterval{200};

  struct Entry {
    std::chrono::steady_clock::time_point until;
    std::shared_ptr<Waiter> waiter;
    std::shared_ptr<std::atomic<bool>> waits;
  };

  void watch() {
    while (true) {
      std::vector<Entry> late;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return !waiting_.empty(); });
        const auto now = std::chrono::steady_clock::now();
        while (!waiting_.empty() && (waiting_.front().waiter->released() || waiting_.front().until < now)) {
          late.push_back(std::move(waiting_.front()));
          waiting_.pop_front();
        }
      }
      for (const Entry& entry : late) {
        if (entry.waiter->released()) continue;
        *entry.waits = false;
        entry.waiter->release(std::nullopt);
      }
      std::this_thread::sleep_for(kInterval);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> waiting_;
  bool started_ = false;
};

// Whether the operation is done with; if not, `done` is called later.
bool may_go_on(const SessionCheck& check, TF_OpKernelContext* context, std::int64_t step, const Done* done) {
  static auto* watchdog = new Watchdog;  // its thread may outlive main
  if (done == nullptr || !*check.waits) return true;
  const auto waiter = check.run->wait(step, check.output.first, [&](std::set<int> left) {
    return std::make_shared<Waiter>(context, *done, std::move(left));
  });
  if (waiter != nullptr) {
    watchdog->guard(waiter, check.waits);
    return false;
  }
  const std::optional<std::string> message = check.run->failure(step);
  if (message) fail(context, *message);
  return true;
}

// Returns whether the operation is done with; if not, `done` is called later.
bool compute(SessionCheck* check, TF_OpKernelContext* context, const Done* done) {
  if (check->run == nullptr) return true;
  const std::uint64_t generation = checking.load(std::memory_order_acquire);
  const std::int64_t step = api.GetStepId(context);
  const Turn turn{api.GetFrameId(context), api.GetIterId(context)};
  auto tensor = std::make_shared<Given>(context, 0);
  const CheckedNode& node = check->run->node(check->output.first);
  const bool numbers = tensor->valid() && element_size(tensor->dtype()) > 0;
  // In place of a variable that has no value yet the copy gave an empty tensor.
  const bool empty = numbers && node.reference && tensor->bytes() == 0;
  if (generation != 0 && check->checked) {
    std::optional<std::string> message = check->run->failure(step);
    if (!message && numbers && !empty && !tensor->finite()) {
      message = look_into(check, step, turn, *tensor, generation);
      if (message) check->run->fail_step(step, *message);
    }
    if (message) {
      fail(context, *message);
      return true;
    }
  }
  check->run->checked(step, turn, check->output, numbers && !node.reference ? std::move(tensor) : nullptr);
  return generation == 0 || may_go_on(*check, context, step, done);
}

void compute_now(void* kernel, TF_OpKernelContext* context) {
  compute(static_cast<SessionCheck*>(kernel), context, nullptr);
}

// The C API hands over the address of a callback that is gone when this returns, so it is copied.
void compute_async(void* kernel, TF_OpKernelContext* context, TF_AsyncOpKernelDoneCallback* callback) {
  const auto* done = reinterpret_cast<const Done*>(callback);
  if (compute(static_cast<SessionCheck*>(kernel), context, done)) (*done)();
}

void destroy(void* kernel) { delete static_cast<SessionCheck*>(kernel); }

// Whether the callbacks of this TensorFlow's asynchronous kernels are std::function<void()> as this compiler knows it: the
// name of a function that takes one tells.
bool callbacks_are_known(void* library) {
  [[maybe_unused]] const char* name = "_ZN10tensorflow6RecvOp12ComputeAsyncEPNS_15OpKernelContextESt8functionIFvvEE";
#ifdef __GLIBCXX__
  return dlsym(library, name) != nullptr;
#else
  return false;
#endif
}

void register_session_check(const std::string& library) {
  static bool registered = false;
  if (registered) return;
  load_api(library);
  const Operation operation{kCheck,
                            {"x: T"},
                            {"T: type", "device_name: string = ''", "tensor_name: string = ''",
                             "debug_urls: list(string) = []", "gated_grpc: bool = false", "run: int = -1"},
                            false};
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr && callbacks_are_known(handle)) {
    register_operation(operation, AsyncKernel{create, compute_async, destroy});
  } else {
    register_operation(operation, Kernel{create, compute_now, destroy});
  }
  register_copies();
  registered = true;
}

using NodeRow = std::tuple<std::string, int, std::uint64_t, std::uint64_t, std::vector<Source>, std::vector<int>>;

void describe_checked_run(std::int64_t number, const std::vector<NodeRow>& rows) {
  std::vector<CheckedNode> nodes;
  for (const auto& [name, kind, checked, foreign, inputs, waits] : rows) {
    nodes.push_back({name, (kind & 2) != 0, (kind & 1) != 0, (kind & 4) != 0, checked, foreign, inputs, waits});
  }
  auto run = std::make_shared<CheckedRun>(std::move(nodes));
  const std::lock_guard<std::mutex> lock(runs_mutex);
  runs[number] = std::move(run);
}

void forget_checked_run(std::int64_t number) {
  const std::lock_guard<std::mutex> lock(runs_mutex);
  runs.erase(number);
}

std::uint64_t begin_checked_call(std::int64_t number) {
  const auto run = find_run(number);
  return run == nullptr ? 0 : run->begin_call();
}

void end_checked_call(std::int64_t number, std::uint64_t call) {
  const auto run = find_run(number);
  if (run != nullptr) run->end_call(call);
}

void start_session_checking(nb::object judging, bool may_pass) {
  static std::uint64_t generation = 0;
  judge.set(std::move(judging));
  lenient = may_pass;
  checking.store(++generation, std::memory_order_release);
}

void stop_session_checking() {
  checking.store(0, std::memory_order_release);
  judge.clear();
}

}  // namespace

void bind_session_check(nb::module_& module) {
  module.def("register_tensorflow_session_check", &register_session_check, nb::arg("library"),
             "Registers the check of sessions with the TensorFlow whose framework library lies at this path.");
  module.def("describe_checked_run", &describe_checked_run, nb::arg("run"), nb::arg("nodes"),
             "Says what is computed in the runs with this number. Of each node: its name; 1 if it puts out references + 2\n"
             "if it has a single output + 4 if not all is known that it takes; which outputs are checked, as bits, and which have elements that were not checked\n"
             "where they were made; its inputs, each a node's place in this list and an output; and the places of those\n"
             "that must have been checked before what takes this node's outputs may run.");
  module.def("forget_checked_run", &forget_checked_run, nb::arg("run"), "Takes such a description away again.");
  module.def("begin_checked_call", &begin_checked_call, nb::arg("run"), "Says that such a run begins; returns its number.");
  module.def("end_checked_call", &end_checked_call, nb::arg("run"), nb::arg("call"), "Says that it has ended.");
  module.def("start_session_checking", &start_session_checking, nb::arg("judge"), nb::arg("lenient"),
             "Has every check in a session's run fail from now on with what\n"
             "`judge(run, node, slot, frame, iteration, tensor, held)` answers, or let pass where it answers None, which it\n"
             "does only if `lenient`. A tensor is (dtype, shape, memory); `held(node, slot)` is that of another node in the\n"
             "same step and turn, or None. The memory must not be used later.");
  module.def("stop_session_checking", &stop_session_checking, "The checks of sessions do nothing from now on.");
}

}  // namespace tensordbg
