// A probe of two tensors: `TensordbgProbePair(x, y)` has in y the elements of x under another shape. They are read once.
#include <memory>

#include "tensorflow/api.h"
#include "tensorflow/graph_probe.h"
#include "tensorflow/input_tensor.h"
#include "tensorflow/probe.h"

namespace tensordbg {
namespace {

using namespace tensorflow;  // NOLINT  the C API under its own names

struct ProbePair {
  std::unique_ptr<Probe> first;
  std::unique_ptr<Probe> second;
};

void* create(TF_OpKernelConstruction* construction) {
  auto* pair = new ProbePair;
  pair->first.reset(new_probe(construction));
  pair->second.reset(another_probe(pair->first.get(), place_attribute(construction, "second")));
  return pair;
}

// Both lie at the same place: while this kernel holds them nothing writes there.
bool same_elements(const Given& one, const Given& other) {
  return one.data() == other.data() && one.bytes() == other.bytes() && one.type() == other.type();
}

void record_again(EventLog* log, Probe* probe, TF_OpKernelContext* context, const TF_Tensor* tensor,
                  const HealthFields& health) {
  const DType dtype = dtype_of(api.TensorType(tensor));
  record_event(log, probe, context, dtype, [&](Record* record) {
    fill_tensor_again(log, dtype, api.TensorData(tensor), api.NumDims(tensor),
                      [tensor](int axis) { return api.Dim(tensor, axis); }, health, record);
  });
}

void compute(void* kernel, TF_OpKernelContext* context) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr) return;
  auto* pair = static_cast<ProbePair*>(kernel);
  const Given x(context, 0);
  const Given y(context, 1);
  if (!x.valid() || !y.valid()) return;
  HealthFields health{};
  const bool measured =
      !is_seen_outside(pair->first.get()) && record_tensor(log, pair->first.get(), context, x.tensor(), &health);
  if (measured && same_elements(x, y)) {
    record_again(log, pair->second.get(), context, y.tensor(), health);
  } else {
    record_tensor(log, pair->second.get(), context, y.tensor());
  }
}

void destroy(void* kernel) { delete static_cast<ProbePair*>(kernel); }

}  // namespace

void register_tensorflow_probe_pair() {
  register_operation(
      {"TensordbgProbePair",
       {"x: T", "y: T"},
       {"T: type", "place: int", "second: int"}},
      {create, compute, destroy});
}

}  // namespace tensordbg
