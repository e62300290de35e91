// A probe of many tensors that are there from the beginning: `TensordbgProbeConstants(x...)`. Most are single numbers, and
// to run an operation takes longer than to look at one.
#include <memory>
#include <vector>

#include "tensorflow/api.h"
#include "tensorflow/graph_probe.h"
#include "tensorflow/input_tensor.h"
#include "tensorflow/probe.h"

namespace tensordbg {
namespace {

using namespace tensorflow;  // NOLINT  the C API under its own names

using Probes = std::vector<std::unique_ptr<Probe>>;

void* create(TF_OpKernelConstruction* construction) {
  const Probe whole{0, 0, false, call_path(api.OpKernelConstruction_GetName(construction))};
  auto* probes = new Probes;
  for (const std::int64_t place : integers_attribute(construction, "places")) {
    probes->emplace_back(another_probe(&whole, place_of(place)));
  }
  return probes;
}

void compute(void* kernel, TF_OpKernelContext* context) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr) return;
  const Probes& probes = *static_cast<Probes*>(kernel);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const Given tensor(context, static_cast<int>(i));
    if (tensor.valid()) record_tensor(log, probes[i].get(), context, tensor.tensor());
  }
}

void destroy(void* kernel) { delete static_cast<Probes*>(kernel); }

}  // namespace

void register_tensorflow_constants_probe() {
  register_operation({"TensordbgProbeConstants", {"x: T"}, {"T: list(type)", "places: list(int)"}},
                     {create, compute, destroy});
}

}  // namespace tensordbg
