// The trap: a kernel that tests a step's loss and gradients, and keeps the step from changing anything where they are bad.
//
// All that writes waits for it. As long as everything is finite it reads each tested tensor once and says so. Only
// otherwise is Python asked: it keeps what the step was given, and answers whether the step fails, is left out, or goes on.
// Beside that it may look at the loss and the norm of all gradients, and ask Python about them in every step; and keep
// what the steps were given since Python last looked at the variables.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/api.h"
#include "tensorflow/input_tensor.h"
#include "tensorflow/interpreter.h"
#include "tensorflow/kernel_failure.h"
#include "tensorflow/loss_window.h"

namespace nb = nanobind;

namespace tensordbg {
namespace {

using namespace tensorflow;  // NOLINT  the C API under its own names

constexpr int kBool = 10;  // TF_BOOL

std::atomic<bool> trapping{false};
// (trap, step, bad, reading, tested, saved) -> None to let the step be, False to leave it out, a message to have it fail.
// It is never freed: a kernel may hold it.
Asked decide;
// (trap, step, saved) -> after how many steps to look again, -1 where a variable has gone bad since the last time.
Asked look;
// (trap, step, steps) -> None or a message, where one has; `steps` has what each step since then was given.
Asked lost;

// What counts as bad beside what is not finite.
struct Rules {
  double jump = 0;   // a score of the loss, 0 for none
  int window = 0;    // among so many losses
  double norm = 0;   // of the gradients, 0 for none
  bool ask = false;  // Python, in every step
  std::size_t keep = 0;  // bytes of what steps were given, 0 to keep none and never look at the variables
  bool any() const { return jump > 0 || norm > 0 || ask; }
};

std::mutex rules_mutex;
Rules rules;                      // of the trap that is set
std::atomic<int> generation{0};   // which trap that is

// What a step came to as a whole.
struct Reading {
  double loss = std::numeric_limits<double>::quiet_NaN();
  double norm = 0;
  double score = 0;
};

struct Trap {
  std::int64_t number = 0;
  int tested = 0;
  int losses = 0;     // so many of the tested come first
  int gradients = 0;  // so many come then
  int scale = -1;     // which of the tested is the factor in all gradients
  std::atomic<std::int64_t> steps{0};
  std::mutex mutex;  // of what follows
  int generation = -1;
  Rules rules;
  std::unique_ptr<LossWindow> window;
  std::deque<std::vector<std::unique_ptr<Given>>> given;  // what the steps were given since the variables were looked at
  std::size_t bytes = 0;
  bool whole = true;       // whether there was room for all of it
  std::int64_t until = 0;  // so many steps are left before they are looked at again
};

void* create(TF_OpKernelConstruction* construction) {
  auto* trap = new Trap;
  trap->number = integer_attribute(construction, "trap");
  trap->tested = static_cast<int>(integer_attribute(construction, "tests"));
  trap->losses = static_cast<int>(integer_attribute(construction, "losses"));
  trap->gradients = static_cast<int>(integer_attribute(construction, "gradients"));
  trap->scale = static_cast<int>(integer_attribute(construction, "scale"));
  return trap;
}

bool good(const Given& tensor) {
  if (!tensor.valid()) return true;
  if (tensor.type() == kBool) return *static_cast<const bool*>(tensor.data());
  return tensor.finite();
}

std::vector<int> bad_ones(const Trap& trap, TF_OpKernelContext* context) {
  std::vector<int> found;
  for (int i = 0; i < trap.tested; ++i) {
    if (!good(Given(context, i))) found.push_back(i);
  }
  return found;
}

nb::list described(TF_OpKernelContext* context, int begin, int end, std::vector<std::unique_ptr<Given>>* held) {
  nb::list tensors;
  for (int i = begin; i < end; ++i) {
    held->push_back(std::make_unique<Given>(context, i));
    tensors.append(held->back()->valid() ? nb::object(held->back()->described()) : nb::object(nb::none()));
  }
  return tensors;
}

// Whether the step may change what it writes; where it must not go on at all, the kernel has failed.
bool judged(const Trap& trap, TF_OpKernelContext* context, std::int64_t step, const std::vector<int>& bad,
            const Reading& reading) {
  if (interpreter_ends()) return true;
  const Interpreter interpreter;
  if (!decide.is_set()) return true;  // the trap was taken away while this step waited
  try {
    std::vector<std::unique_ptr<Given>> held;
    const nb::list tested = described(context, 0, trap.tested, &held);
    const nb::list saved = described(context, trap.tested, api.NumInputs(context), &held);
    const nb::tuple numbers = nb::make_tuple(reading.loss, reading.norm, reading.score);
    const nb::object answer = decide.get()(trap.number, step, bad, numbers, tested, saved);
    if (answer.is_none()) return true;
    if (nb::isinstance<nb::str>(answer)) fail(context, nb::cast<std::string>(answer));
    return false;
  } catch (const std::exception&) {
    return true;  // a fault of ours: Python has said so, the program goes on
  }
}

struct Sums {
  double sum = 0;
  double squares = 0;
  std::int64_t size = 0;
};

Sums sums_of(TF_OpKernelContext* context, int begin, int end) {
  Sums sums;
  for (int i = begin; i < end; ++i) {
    const Given tensor(context, i);
    HealthFields health;
    if (!tensor.valid() || !measure(tensor.data(), tensor.size(), tensor.dtype(), &health)) continue;
    sums.sum += health.sum;
    sums.squares += health.sum_squares;
    sums.size += tensor.size();
  }
  return sums;
}

// All losses together, each by its mean; and the norm of all gradients as one vector.
Reading read(const Trap& trap, TF_OpKernelContext* context) {
  Reading reading;
  if (trap.losses > 0) reading.loss = 0;
  for (int i = 0; i < trap.losses; ++i) {
    const Sums loss = sums_of(context, i, i + 1);
    reading.loss += loss.sum / static_cast<double>(loss.size);
  }
  reading.norm = std::sqrt(sums_of(context, trap.losses, trap.losses + trap.gradients).squares);
  if (trap.scale >= 0) reading.norm /= sums_of(context, trap.scale, trap.scale + 1).sum;
  return reading;
}

void forget(Trap* trap) {
  trap->given.clear();
  trap->bytes = 0;
  trap->whole = true;
}

// Has a trap follow the rules of the trap that is set now; its mutex must be held.
void settle(Trap* trap) {
  if (trap->generation == generation.load(std::memory_order_acquire)) return;
  const std::lock_guard<std::mutex> lock(rules_mutex);
  trap->generation = generation.load(std::memory_order_relaxed);
  trap->rules = rules;
  trap->window = std::make_unique<LossWindow>(static_cast<std::size_t>(rules.window));
  forget(trap);
  trap->until = 0;
}

nb::list steps_of(const Trap& trap) {
  nb::list steps;
  for (const auto& given : trap.given) {
    nb::list tensors;
    for (const auto& each : given) tensors.append(each->valid() ? nb::object(each->described()) : nb::object(nb::none()));
    steps.append(tensors);
  }
  return steps;
}

// Has Python look at the variables; false where the step has failed.
bool looked_at(Trap* trap, TF_OpKernelContext* context, std::int64_t step) {
  if (interpreter_ends()) return true;
  const Interpreter interpreter;
  if (!look.is_set()) return true;
  const nb::object losing = lost.get();
  try {
    std::vector<std::unique_ptr<Given>> held;
    const nb::list saved = described(context, trap->tested, api.NumInputs(context), &held);
    trap->until = nb::cast<std::int64_t>(look.get()(trap->number, step, saved));
    if (trap->until > 0) return true;
    trap->until = 1;
    const nb::object answer = losing(trap->number, step, steps_of(*trap));
    if (nb::isinstance<nb::str>(answer)) fail(context, nb::cast<std::string>(answer));
    return answer.is_none();
  } catch (const std::exception&) {
    trap->until = std::numeric_limits<std::int64_t>::max();  // a fault of ours: Python has said so
    return true;
  }
}

// Keeps what a step is given, as far as there is room for it, and has the variables looked at from time to time.
bool kept(Trap* trap, TF_OpKernelContext* context, std::int64_t step) {
  const std::lock_guard<std::mutex> lock(trap->mutex);
  settle(trap);
  if (trap->rules.keep == 0) return true;
  if (trap->until == 0) {
    if (!looked_at(trap, context, step)) return false;
    forget(trap);
  }
  --trap->until;
  if (!trap->whole) return true;
  auto& given = trap->given.emplace_back();
  for (int i = trap->tested; i < api.NumInputs(context); ++i) {
    given.push_back(std::make_unique<Given>(context, i));
    if (given.back()->valid()) trap->bytes += given.back()->bytes();
  }
  if (trap->bytes > trap->rules.keep) {
    trap->given.clear();  // steps that are not all there lead nowhere
    trap->whole = false;
  }
  return true;
}

// Judges a step in which everything is finite by the rules of the trap that is set.
bool judged_by_rules(Trap* trap, TF_OpKernelContext* context, std::int64_t step) {
  const std::lock_guard<std::mutex> lock(trap->mutex);
  settle(trap);
  if (!trap->rules.any()) return true;
  Reading reading = read(*trap, context);
  const bool has_loss = std::isfinite(reading.loss);
  if (has_loss && trap->rules.jump > 0) reading.score = trap->window->score(reading.loss);
  const bool wanted = trap->rules.ask || (trap->rules.norm > 0 && reading.norm > trap->rules.norm) ||
                      (trap->rules.jump > 0 && reading.score > trap->rules.jump);
  const bool good = !wanted || judged(*trap, context, step, {}, reading);
  // A loss of a step that was left out says nothing of those to come.
  if (good && has_loss) trap->window->add(reading.loss);
  return good;
}

void put_out(TF_OpKernelContext* context, bool value) {
  TF_Status* status = api.NewStatus();
  TF_Tensor* output = api.AllocateOutput(context, 0, kBool, nullptr, 0, sizeof(bool), status);
  if (api.GetCode(status) == 0) *static_cast<bool*>(api.TensorData(output)) = value;
  if (output != nullptr) api.DeleteTensor(output);
  api.DeleteStatus(status);
}

void compute(void* kernel, TF_OpKernelContext* context) {
  auto* trap = static_cast<Trap*>(kernel);
  if (!trapping.load(std::memory_order_acquire)) return put_out(context, true);
  const std::int64_t step = trap->steps.fetch_add(1, std::memory_order_relaxed);
  if (!kept(trap, context, step)) return;
  const std::vector<int> bad = bad_ones(*trap, context);
  put_out(context, bad.empty() ? judged_by_rules(trap, context, step) : judged(*trap, context, step, bad, Reading()));
}

void destroy(void* kernel) { delete static_cast<Trap*>(kernel); }

void register_trap(const std::string& library) {
  static bool registered = false;
  if (registered) return;
  load_api(library);
  register_operation({"TensordbgTrap",
                      {"tested: Ttested", "saved: Tsaved"},
                      {"Ttested: list(type) >= 1", "Tsaved: list(type) >= 0", "trap: int", "tests: int", "losses: int = 0",
                       "gradients: int = 0", "scale: int = -1"},
                      true,
                      {"good: bool"}},
                     Kernel{create, compute, destroy});
  registered = true;
}

void start_trapping(nb::object deciding, double jump, int window, double norm, bool ask) {
  {
    const std::lock_guard<std::mutex> lock(rules_mutex);
    rules = {jump, window, norm, ask, 0};
    generation.fetch_add(1, std::memory_order_release);
  }
  decide.set(std::move(deciding));
  trapping.store(true, std::memory_order_release);
}

void start_looking(nb::object looking, nb::object losing, std::size_t keep) {
  look.set(std::move(looking));
  lost.set(std::move(losing));
  const std::lock_guard<std::mutex> lock(rules_mutex);
  rules.keep = keep;
  generation.fetch_add(1, std::memory_order_release);
}

void stop_trapping() {
  trapping.store(false, std::memory_order_release);
  for (Asked* each : {&decide, &look, &lost}) each->clear();
}

}  // namespace

void bind_trap(nb::module_& module) {
  module.def("loss_score", &loss_score, nb::arg("losses"), nb::arg("loss"),
             "How far a loss lies above the median of others, in deviations of a normal distribution; 0 for less than 20.");
  module.def("register_tensorflow_trap", &register_trap, nb::arg("library"),
             "Registers the trap operation with the TensorFlow whose framework library lies at this path.");
  module.def("start_trapping", &start_trapping, nb::arg("decide"), nb::arg("jump") = 0.0, nb::arg("window") = 100,
             nb::arg("norm") = 0.0, nb::arg("ask") = false,
             "Has every trap test from now on. Where something is bad, `decide(trap, step, bad, reading, tested, saved)`\n"
             "answers None to let the step be, False to leave it out, or a message with which it fails. `bad` has the\n"
             "positions in `tested`; `reading` is (loss, norm of the gradients, score of the loss) where nothing is bad;\n"
             "tensors are (dtype, shape, memory), and the memory must not be used later. With everything finite it is\n"
             "called where the loss has a score above `jump` among the last `window`, the norm is above `norm`, or if `ask`.");
  module.def("start_looking", &start_looking, nb::arg("look"), nb::arg("lost"), nb::arg("keep"),
             "Has every trap keep what its steps are given, up to `keep` bytes, and look at the variables from time to time.\n"
             "`look(trap, step, saved)` answers after how many steps to look again, or -1 where a variable has gone bad; then\n"
             "`lost(trap, step, steps)`, with what each step since was given, answers None or a message with which the step\n"
             "fails. To be called after `start_trapping`.");
  module.def("stop_trapping", &stop_trapping, "The traps let everything be from now on.");
}

}  // namespace tensordbg
