// The probe, a kernel for TensorFlow's C API.
#include "tensorflow/probe.h"

#include "tensorflow/api.h"
#include "tensorflow/graph_probe.h"
#include "tensorflow/input_tensor.h"

namespace tensordbg {
namespace {

using namespace tensorflow;  // NOLINT  the C API under its own names

void* create(TF_OpKernelConstruction* construction) { return new_probe(construction); }

template <typename Name>
std::uint32_t number_of(EventLog* log, NameKind kind, std::atomic<std::uint64_t>* memo, Name name) {
  std::uint64_t known = memo->load(std::memory_order_relaxed);
  if (known >> 32 != log->generation()) {
    known = log->generation() << 32 | log->intern(kind, name());
    memo->store(known, std::memory_order_relaxed);
  }
  return static_cast<std::uint32_t>(known);
}

}  // namespace

Probe* new_probe(TF_OpKernelConstruction* construction) {
  auto* probe = new Probe;
  const Place place = place_attribute(construction, "place");
  probe->site = place.site;
  probe->slot = place.slot;
  probe->argument = place.argument;
  probe->path = call_path(api.OpKernelConstruction_GetName(construction));
  return probe;
}

Probe* another_probe(const Probe* probe, const Place& place) {
  auto* another = new Probe;
  another->site = place.site;
  another->slot = place.slot;
  another->path = probe->path;
  return another;
}

Record* begin_record(EventLog* log, Probe* probe, TF_OpKernelContext* context, std::uint64_t* sequence) {
  const std::uint32_t path = number_of(log, NameKind::kPath, &probe->path_number, [&] { return probe->path; });
  const std::uint32_t device = number_of(log, NameKind::kDevice, &probe->device_number, [&] {
    const TF_StringView name = api.GetDeviceName(context);
    return std::string(name.data, name.len);
  });
  Record* record = log->reserve(sequence);
  if (record == nullptr) return nullptr;
  record->time_ns = monotonic_ns();
  record->owner = api.GetStepId(context);
  record->frame = api.GetFrameId(context);
  record->iteration = api.GetIterId(context);
  record->site = probe->site;
  record->path = path;
  record->thread = thread_number();
  record->slot = probe->slot;
  record->device = static_cast<std::uint16_t>(device);
  record->kind = RecordKind::kGraphTensor;
  return record;
}

bool record_tensor(EventLog* log, Probe* probe, TF_OpKernelContext* context, const TF_Tensor* tensor,
                   HealthFields* measured) {
  const DType dtype = dtype_of(api.TensorType(tensor));
  bool has_health = false;
  const int rank = api.NumDims(tensor);
  const void* data = api.TensorData(tensor);
  const auto dim = [tensor](int axis) { return api.Dim(tensor, axis); };
  record_event(log, probe, context, dtype, [&](Record* record) {
    if (dtype == DType::kString) {
      fill_strings(log, rank, dim, [data](std::int64_t k) { return text_at(data, k); }, record);
      return;
    }
    fill_tensor(log, dtype, data, rank, dim, record);
    has_health = (record->flags & kFlagHealth) != 0;
    if (has_health && measured != nullptr) *measured = record->tensor.health;
  });
  return has_health;
}

namespace {

void compute(void* kernel, TF_OpKernelContext* context) {
  const ActiveLog active;
  EventLog* log = active.get();
  auto* probe = static_cast<Probe*>(kernel);
  if (log == nullptr || is_seen_outside(probe)) return;
  const Given tensor(context, 0);
  if (tensor.valid()) record_tensor(log, probe, context, tensor.tensor());
}

void destroy(void* kernel) { delete static_cast<Probe*>(kernel); }

// Strings lie in the host's memory, whichever device made them.
void register_string_probe_beside_gpu() {
  TF_KernelBuilder* builder = api.NewKernelBuilder("TensordbgProbe", "GPU", create, compute, destroy);
  TF_Status* status = api.NewStatus();
  constexpr int kStringType = 7;
  api.KernelBuilder_TypeConstraint(builder, "T", kStringType, status);
  api.KernelBuilder_HostMemory(builder, "x");
  if (api.GetCode(status) == 0) {
    api.RegisterKernelBuilder("TensordbgProbe", builder, status);
  } else {
    api.DeleteKernelBuilder(builder);
  }
  api.DeleteStatus(status);
}

}  // namespace

void register_tensorflow_probe(const std::string& library) {
  static bool registered = false;
  if (registered) return;
  load_api(library);
  register_operation({"TensordbgProbe", {"x: T"}, {"T: type", "place: int"}},
                     {create, compute, destroy});
  register_string_probe_beside_gpu();
  register_tensorflow_probe_pair();
  register_tensorflow_constants_probe();
  register_tensorflow_summary_probe();
  registered = true;
}

}  // namespace tensordbg
