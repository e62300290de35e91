// The check, a kernel for TensorFlow's C API, and Python's part in it: judging a failure, and telling of it.
//
// Nothing but one reading of the tensor happens as long as it is finite. Only then are the operation's inputs looked at, and only
// where the operation itself made the bad number is Python asked for the message.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "health/measure.h"
#include "tensorflow/api.h"
#include "tensorflow/input_tensor.h"
#include "tensorflow/interpreter.h"
#include "tensorflow/kernel_failure.h"
#include "tensorflow/place.h"

namespace nb = nanobind;

namespace tensordbg {
namespace {

using namespace tensorflow;  // NOLINT  the C API under its own names

std::atomic<std::uint64_t> checking{0};
// ((site, slot, path, frame, iteration, was_finite), [(dtype, shape, memory)...]) -> the message, or None to let it pass. It
// is never freed: a kernel may hold it.
Asked judge;
// Whether anything can be let pass at all.
std::atomic<bool> lenient{false};

// What was let pass in the steps that are running: at the place of a step, step id << 2 | kinds.
constexpr std::uint64_t kSteps = 256;
std::atomic<std::uint64_t> let_pass[kSteps];

void note_passed(std::uint64_t step, int kinds) {
  std::atomic<std::uint64_t>& place = let_pass[step % kSteps];
  const std::uint64_t known = place.load(std::memory_order_relaxed);
  const std::uint64_t before = known >> 2 == (step << 2) >> 2 ? known & 3 : 0;
  place.store(step << 2 | before | static_cast<std::uint64_t>(kinds), std::memory_order_release);
}

int passed_in(std::uint64_t step) {
  const std::uint64_t known = let_pass[step % kSteps].load(std::memory_order_acquire);
  return known >> 2 == (step << 2) >> 2 ? static_cast<int>(known & 3) : 0;
}

struct Check {
  std::uint32_t site = 0;
  int slot = 0;
  // Bit i: input i is an argument of the function or its elements come from one / was not checked where it was made.
  std::uint64_t arguments = 0;
  std::uint64_t foreign = 0;
  std::string path;
  // generation << 2 | the kinds of bad numbers that were let pass here.
  std::atomic<std::uint64_t> passed{0};
  // Whether the tensor was finite in an earlier run.
  std::atomic<bool> was_finite{false};
};

void* create(TF_OpKernelConstruction* construction) {
  auto* check = new Check;
  const std::vector<std::int64_t> about = integers_attribute(construction, "about");
  if (about.size() == 3) {
    const Place place = place_of(about[0]);
    check->site = place.site;
    check->slot = place.slot;
    check->arguments = static_cast<std::uint64_t>(about[1]);
    check->foreign = static_cast<std::uint64_t>(about[2]);
  }
  check->path = call_path(api.OpKernelConstruction_GetName(construction));
  return check;
}

// The kinds of bad numbers among those inputs that were checked where they were made, and were let pass there: a check
// runs after those of all that its operation was computed from.
int incoming(const Check& check, TF_OpKernelContext* context) {
  const int possible = passed_in(static_cast<std::uint64_t>(api.GetStepId(context)));
  if (possible == 0) return 0;
  // The argument of a function that was inlined is its caller's tensor.
  const std::uint64_t unchecked = check.foreign | (check.path.empty() ? check.arguments : 0);
  int kinds = 0;
  for (int i = 1; i < api.NumInputs(context); ++i) {
    if (i <= 62 && (unchecked >> (i - 1) & 1) != 0) continue;
    kinds |= Given(context, i).kinds();
  }
  return kinds & possible;
}

std::optional<std::string> ask(const Check& check, TF_OpKernelContext* context) {
  const Interpreter interpreter;
  if (!judge.is_set()) return std::nullopt;  // the checks were stopped while this one waited
  try {
    nb::list tensors;
    std::vector<std::unique_ptr<Given>> inputs;
    for (int i = 0; i < api.NumInputs(context); ++i) {
      inputs.push_back(std::make_unique<Given>(context, i));
      if (inputs.back()->valid()) tensors.append(inputs.back()->described());
    }
    const nb::tuple place =
        nb::make_tuple(check.site, check.slot, check.path, api.GetFrameId(context), api.GetIterId(context),
                       check.was_finite.load(std::memory_order_relaxed));
    const nb::object answer = judge.get()(place, tensors);
    if (answer.is_none()) return std::nullopt;
    return nb::cast<std::string>(answer);
  } catch (const std::exception& error) {
    return std::string("!!! Detected Infinity or NaN !!! (no more can be said: ") + error.what() + ")";
  }
}

void look_into(Check* check, TF_OpKernelContext* context, int kinds, std::uint64_t generation) {
  const std::uint64_t passed = check->passed.load(std::memory_order_relaxed);
  const int known = passed >> 2 == generation ? static_cast<int>(passed & 3) : 0;
  const auto step = static_cast<std::uint64_t>(api.GetStepId(context));
  if ((kinds & ~known) == 0) return note_passed(step, kinds);
  if ((lenient && !made_here(kinds, incoming(*check, context))) || interpreter_ends()) return;
  const std::optional<std::string> message = ask(*check, context);
  if (message) return fail(context, *message);
  note_passed(step, kinds);
  check->passed.store(generation << 2 | static_cast<std::uint64_t>(known | kinds), std::memory_order_relaxed);
}

void compute(void* kernel, TF_OpKernelContext* context) {
  const std::uint64_t generation = checking.load(std::memory_order_acquire);
  if (generation == 0) return;
  const Given tensor(context, 0);
  auto* check = static_cast<Check*>(kernel);
  if (!tensor.finite()) return look_into(check, context, tensor.kinds(), generation);
  if (!check->was_finite.load(std::memory_order_relaxed)) check->was_finite.store(true, std::memory_order_relaxed);
}

void destroy(void* kernel) { delete static_cast<Check*>(kernel); }

void register_check(const std::string& library) {
  static bool registered = false;
  if (registered) return;
  load_api(library);
  // Of the tensors the first is checked; the others went into it.
  register_operation({"TensordbgCheck", {"tensors: T"}, {"T: list(type)", "about: list(int)"}},
                     {create, compute, destroy});
  registered = true;
}

void start_checking(nb::object judging, bool may_pass) {
  static std::uint64_t generation = 0;
  judge.set(std::move(judging));
  lenient = may_pass;
  checking.store(++generation, std::memory_order_release);
}

void stop_checking() {
  checking.store(0, std::memory_order_release);
  judge.clear();
}

}  // namespace

void bind_check(nb::module_& module) {
  module.def("register_tensorflow_check", &register_check, nb::arg("library"),
             "Registers the check operation with the TensorFlow whose framework library lies at this path.");
  module.def("start_checking", &start_checking, nb::arg("judge"), nb::arg("lenient"),
             "Has every check fail from now on with what `judge((site, slot, path, frame, iteration, was_finite), tensors)`\n"
             "answers, or let pass where it answers None, which it does only if `lenient`. Of tensors, (dtype, shape, memory),\n"
             "the first is bad and the others are the operation's inputs; the memory must not be used later.");
  module.def("stop_checking", &stop_checking, "The checks do nothing from now on.");
}

}  // namespace tensordbg
