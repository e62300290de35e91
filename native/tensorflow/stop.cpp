// The stop, a kernel for TensorFlow's C API: while a debugger has breakpoints at lines, it asks Python, which may open the
// console, in the thread that runs the graph. What waits for it runs afterwards.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/api.h"
#include "tensorflow/input_tensor.h"
#include "tensorflow/interpreter.h"
#include "tensorflow/kernel_failure.h"

namespace nb = nanobind;

namespace tensordbg {
namespace {

using namespace tensorflow;  // NOLINT  the C API under its own names

std::atomic<bool> stopping{false};
// (gate, path, step, frame, iteration), [(dtype, shape, memory) or None...] -> None, or why the operation is to fail.
Asked reached;

struct Gate {
  std::int64_t number = 0;
  std::string path;
};

void* create(TF_OpKernelConstruction* construction) {
  auto* gate = new Gate;
  gate->number = integer_attribute(construction, "gate");
  gate->path = call_path(api.OpKernelConstruction_GetName(construction));
  return gate;
}

void compute(void* kernel, TF_OpKernelContext* context) {
  if (!stopping.load(std::memory_order_acquire) || interpreter_ends()) return;
  const auto* gate = static_cast<Gate*>(kernel);
  std::string failure;
  {
    const Interpreter interpreter;
    if (!reached.is_set()) return;  // it was taken back while this one waited
    try {
      nb::list tensors;
      std::vector<std::unique_ptr<Given>> inputs;
      for (int i = 0; i < api.NumInputs(context); ++i) {
        inputs.push_back(std::make_unique<Given>(context, i));
        tensors.append(inputs.back()->valid() ? nb::object(inputs.back()->described()) : nb::none());
      }
      const nb::tuple place = nb::make_tuple(gate->number, gate->path, api.GetStepId(context),
                                             api.GetFrameId(context), api.GetIterId(context));
      const nb::object answer = reached.get()(place, tensors);
      if (!answer.is_none()) failure = nb::cast<std::string>(answer);
    } catch (const std::exception&) {
      // Whatever goes wrong in a debugger, the program goes on.
    }
  }
  if (!failure.empty()) fail(context, failure);
}

void destroy(void* kernel) { delete static_cast<Gate*>(kernel); }

void register_stop(const std::string& library) {
  static bool registered = false;
  if (registered) return;
  load_api(library);
  register_operation({"TensordbgStop", {"tensors: T"}, {"T: list(type) >= 0", "gate: int"}},
                     {create, compute, destroy});
  registered = true;
}

void start_stopping(nb::object asked) {
  reached.set(std::move(asked));
  stopping.store(true, std::memory_order_release);
}

void stop_stopping() {
  stopping.store(false, std::memory_order_release);
  reached.clear();
}

}  // namespace

void bind_stop(nb::module_& module) {
  module.def("register_tensorflow_stop", &register_stop, nb::arg("library"),
             "Registers the stop operation with the TensorFlow whose framework library lies at this path.");
  module.def("start_stopping", &start_stopping, nb::arg("reached"),
             "Has every stop call `reached((gate, path, step, frame, iteration), tensors)` from now on, in the thread that\n"
             "runs it; it fails with what that answers, if not with None. Of tensors, (dtype, shape, memory), the memory\n"
             "must not be used later.");
  module.def("stop_stopping", &stop_stopping, "The stops do nothing from now on.");
}

}  // namespace tensordbg
