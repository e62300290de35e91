// The probe of tensors on another device: `TensordbgSummaryProbe(summary, shape)` records what TensorFlow's own
// FULL_HEALTH summary counted where the tensor lies; only that and the shape come to the host.
#include "graph_probe.h"
#include "probe_tensorflow.h"
#include "tensorflow_api.h"

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

TF_Tensor* input(TF_OpKernelContext* context, int number) {
  TF_Status* status = api.NewStatus();
  TF_Tensor* tensor = nullptr;
  api.GetInput(context, number, &tensor, status);
  const bool found = api.GetCode(status) == 0;
  api.DeleteStatus(status);
  return found ? tensor : nullptr;
}

void record(EventLog* log, SummaryProbe* kernel, TF_OpKernelContext* context, const double* summary,
            const TF_Tensor* shape) {
  std::uint64_t sequence = 0;
  Record* record = begin_record(log, kernel->probe, context, &sequence);
  if (record == nullptr) return;
  const auto* dims = static_cast<const std::int64_t*>(api.TensorData(shape));
  const int rank = static_cast<int>(api.Dim(shape, 0));
  fill_summary(log, kernel->dtype, summary, rank, [dims](int axis) { return dims[axis]; }, record);
  log->finish(record, sequence);
}

void compute(void* state, TF_OpKernelContext* context) {
  EventLog* log = active_log();
  auto* kernel = static_cast<SummaryProbe*>(state);
  const Probe* probe = kernel->probe;
  if (log == nullptr || (probe->argument && !probe->path.empty()) || !log->wants(probe->site, kernel->dtype)) return;
  // Tensors that are no floating-point numbers have a shape alone.
  const int last = api.NumInputs(context) - 1;
  TF_Tensor* shape = input(context, last);
  TF_Tensor* summary = last > 0 ? input(context, 0) : nullptr;
  const bool counted = summary != nullptr && api.Dim(summary, 0) == kSummarySize;
  if (shape != nullptr) {
    record(log, kernel, context, counted ? static_cast<const double*>(api.TensorData(summary)) : nullptr, shape);
  }
  if (shape != nullptr) api.DeleteTensor(shape);
  if (summary != nullptr) api.DeleteTensor(summary);
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
