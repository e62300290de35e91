// The trap: a kernel that tests a step's loss and gradients, and keeps the step from changing anything where they are bad.
//
// All that writes waits for it. As long as everything is finite it reads each tested tensor once and says so. Only
// otherwise is Python asked: it keeps what the step was given, and answers whether the step fails, is left out, or goes on.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "check_parts.h"
#include "tensorflow_api.h"

namespace nb = nanobind;

namespace tensordbg {
namespace {

using namespace tensorflow;  // NOLINT  the C API under its own names

constexpr int kBool = 10;  // TF_BOOL

std::atomic<bool> trapping{false};
// (trap, step, bad, tested, saved) -> None to let the step be, False to leave it out, a message to have it fail. It is
// never freed: a kernel may hold it.
PyObject* decide = nullptr;

struct Trap {
  std::int64_t number = 0;
  int tested = 0;
  std::atomic<std::int64_t> steps{0};
};

void* create(TF_OpKernelConstruction* construction) {
  auto* trap = new Trap;
  trap->number = integer_attribute(construction, "trap");
  trap->tested = static_cast<int>(integer_attribute(construction, "tests"));
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
bool judged(const Trap& trap, TF_OpKernelContext* context, std::int64_t step, const std::vector<int>& bad) {
  if (interpreter_ends()) return true;
  const nb::gil_scoped_acquire acquire;
  try {
    std::vector<std::unique_ptr<Given>> held;
    const nb::list tested = described(context, 0, trap.tested, &held);
    const nb::list saved = described(context, trap.tested, api.NumInputs(context), &held);
    const nb::object answer = nb::borrow(decide)(trap.number, step, bad, tested, saved);
    if (answer.is_none()) return true;
    if (nb::isinstance<nb::str>(answer)) fail(context, nb::cast<std::string>(answer));
    return false;
  } catch (const std::exception&) {
    return true;  // a fault of ours: Python has said so, the program goes on
  }
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
  const std::vector<int> bad = bad_ones(*trap, context);
  put_out(context, bad.empty() || judged(*trap, context, step, bad));
}

void destroy(void* kernel) { delete static_cast<Trap*>(kernel); }

void register_trap(const std::string& library) {
  static bool registered = false;
  if (registered) return;
  load_api(library);
  register_operation({"TensordbgTrap",
                      {"tested: Ttested", "saved: Tsaved"},
                      {"Ttested: list(type) >= 1", "Tsaved: list(type) >= 0", "trap: int", "tests: int"},
                      true,
                      {"good: bool"}},
                     Kernel{create, compute, destroy});
  registered = true;
}

void start_trapping(nb::object deciding) {
  decide = deciding.release().ptr();
  trapping.store(true, std::memory_order_release);
}

void stop_trapping() { trapping.store(false, std::memory_order_release); }

}  // namespace

void bind_trap(nb::module_& module) {
  module.def("register_tensorflow_trap", &register_trap, nb::arg("library"),
             "Registers the trap operation with the TensorFlow whose framework library lies at this path.");
  module.def("start_trapping", &start_trapping, nb::arg("decide"),
             "Has every trap test from now on. Where something is bad, `decide(trap, step, bad, tested, saved)` answers\n"
             "None to let the step be, False to leave it out, or a message with which it fails. `bad` has the positions in\n"
             "`tested`; tensors are (dtype, shape, memory), and the memory must not be used later.");
  module.def("stop_trapping", &stop_trapping, "The traps let everything be from now on.");
}

}  // namespace tensordbg
