// The probe of tensors on another device: `TensordbgSummaryProbe(summary, shape)` records what TensorFlow's own
// FULL_HEALTH summary counted where the tensor lies; only that and the shape come to the host.
#include "tensorflow/api.h"
#include "tensorflow/graph_probe.h"
#include "tensorflow/input_tensor.h"
#include "tensorflow/probe.h"

namespace tensordbg {
namespace {

using namespace tensorflow;  // NOLINT  the C API under its own names

constexpr char kOperation[] = "TensordbgSummaryProbe";
constexpr std::int64_t kSummarySize = 11;

struct SummaryProbe {
  Probe* probe;
  DType dtype;
};

void* create(TF_OpKernelConstruction* construction) {
  const auto type = static_cast<int>(integer_attribute(construction, "dtype"));
  return new SummaryProbe{new_probe(construction), dtype_of(type)};
}

void record(EventLog* log, SummaryProbe* kernel, TF_OpKernelContext* context, const double* summary, const Given& shape) {
  record_event(log, kernel->probe, context, kernel->dtype, [&](Record* record) {
    const auto* dims = static_cast<const std::int64_t*>(shape.data());
    fill_summary(log, kernel->dtype, summary, static_cast<int>(shape.size()), [dims](int axis) { return dims[axis]; },
                 record);
  });
}

void compute(void* state, TF_OpKernelContext* context) {
  const ActiveLog active;
  EventLog* log = active.get();
  auto* kernel = static_cast<SummaryProbe*>(state);
  if (log == nullptr || is_seen_outside(kernel->probe)) return;
  // Tensors that are no floating-point numbers have a shape alone.
  const int last = api.NumInputs(context) - 1;
  const Given shape(context, last);
  const Given summary(context, 0);
  const bool counted = last > 0 && summary.valid() && summary.size() == kSummarySize;
  if (shape.valid()) record(log, kernel, context, counted ? static_cast<const double*>(summary.data()) : nullptr, shape);
}

void destroy(void* state) {
  auto* kernel = static_cast<SummaryProbe*>(state);
  delete kernel->probe;
  delete kernel;
}

}  // namespace

void register_tensorflow_summary_probe() {
  const Kernel kernel{create, compute, destroy};
  register_operation({kOperation,
                      {"summary: N * double", "shape: int64"},
                      {"N: int >= 0", "dtype: int", "place: int"}},
                     kernel);
  register_beside_gpu(kOperation, kernel, {"summary", "shape"});
}

}  // namespace tensordbg
