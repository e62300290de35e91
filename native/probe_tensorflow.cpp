// The TensorFlow probe, written against TensorFlow's C API for kernels. The symbols are looked up at run time in the
// libtensorflow_framework that the process already has, so one binary serves every TensorFlow from 2.16 on.
#include "probe_tensorflow.h"

#include <dlfcn.h>

#include <atomic>
#include <stdexcept>

namespace tensordbg {
namespace {

// The few opaque types and the one struct of TensorFlow's C API (tensorflow/c/kernels.h, tf_tensor.h) used here.
struct TF_Status;
struct TF_Tensor;
struct TF_OpKernelContext;
struct TF_OpKernelConstruction;
struct TF_OpDefinitionBuilder;
struct TF_KernelBuilder;
struct TF_ShapeInferenceContext;
struct TF_StringView {
  const char* data;
  std::size_t len;
};

// Every function of the C API that is called; `load` finds them.
struct Api {
  TF_Status* (*NewStatus)();
  void (*DeleteStatus)(TF_Status*);
  void (*SetStatus)(TF_Status*, int, const char*);
  int (*GetCode)(const TF_Status*);
  TF_OpDefinitionBuilder* (*NewOpDefinitionBuilder)(const char*);
  void (*OpDefinitionBuilderAddInput)(TF_OpDefinitionBuilder*, const char*);
  void (*OpDefinitionBuilderAddAttr)(TF_OpDefinitionBuilder*, const char*);
  void (*OpDefinitionBuilderSetIsStateful)(TF_OpDefinitionBuilder*, bool);
  void (*OpDefinitionBuilderSetShapeInferenceFunction)(TF_OpDefinitionBuilder*,
                                                       void (*)(TF_ShapeInferenceContext*, TF_Status*));
  void (*RegisterOpDefinition)(TF_OpDefinitionBuilder*, TF_Status*);
  TF_KernelBuilder* (*NewKernelBuilder)(const char*, const char*, void* (*)(TF_OpKernelConstruction*),
                                        void (*)(void*, TF_OpKernelContext*), void (*)(void*));
  void (*RegisterKernelBuilder)(const char*, TF_KernelBuilder*, TF_Status*);
  void (*OpKernelConstruction_GetAttrInt64)(TF_OpKernelConstruction*, const char*, std::int64_t*, TF_Status*);
  TF_StringView (*OpKernelConstruction_GetName)(TF_OpKernelConstruction*);
  void (*GetInput)(TF_OpKernelContext*, int, TF_Tensor**, TF_Status*);
  std::int64_t (*GetStepId)(TF_OpKernelContext*);
  std::uint64_t (*GetFrameId)(TF_OpKernelContext*);
  std::int64_t (*GetIterId)(TF_OpKernelContext*);
  TF_StringView (*GetDeviceName)(TF_OpKernelContext*);
  int (*TensorType)(const TF_Tensor*);
  int (*NumDims)(const TF_Tensor*);
  std::int64_t (*Dim)(const TF_Tensor*, int);
  void* (*TensorData)(const TF_Tensor*);
  void (*DeleteTensor)(TF_Tensor*);
};

Api api;

template <typename Function>
void find(void* library, const char* name, Function* function) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) {
    throw std::runtime_error(std::string("this TensorFlow lacks ") + name + "; tensordbg needs TensorFlow 2.16 or later");
  }
  std::memcpy(function, &symbol, sizeof symbol);
}

void load(void* library) {
#define TENSORDBG_FIND(name) find(library, "TF_" #name, &api.name)
  TENSORDBG_FIND(NewStatus);
  TENSORDBG_FIND(DeleteStatus);
  TENSORDBG_FIND(SetStatus);
  TENSORDBG_FIND(GetCode);
  TENSORDBG_FIND(NewOpDefinitionBuilder);
  TENSORDBG_FIND(OpDefinitionBuilderAddInput);
  TENSORDBG_FIND(OpDefinitionBuilderAddAttr);
  TENSORDBG_FIND(OpDefinitionBuilderSetIsStateful);
  TENSORDBG_FIND(OpDefinitionBuilderSetShapeInferenceFunction);
  TENSORDBG_FIND(RegisterOpDefinition);
  TENSORDBG_FIND(NewKernelBuilder);
  TENSORDBG_FIND(RegisterKernelBuilder);
  TENSORDBG_FIND(OpKernelConstruction_GetAttrInt64);
  TENSORDBG_FIND(OpKernelConstruction_GetName);
  TENSORDBG_FIND(GetInput);
  TENSORDBG_FIND(GetStepId);
  TENSORDBG_FIND(GetFrameId);
  TENSORDBG_FIND(GetIterId);
  TENSORDBG_FIND(GetDeviceName);
  TENSORDBG_FIND(TensorType);
  TENSORDBG_FIND(NumDims);
  TENSORDBG_FIND(Dim);
  TENSORDBG_FIND(TensorData);
  TENSORDBG_FIND(DeleteTensor);
#undef TENSORDBG_FIND
}

// By TensorFlow's DataType number (tensorflow/core/framework/types.proto).
DType dtype_of(int type) {
  switch (type) {
    case 1: return DType::kFloat32;
    case 2: return DType::kFloat64;
    case 3: return DType::kInt32;
    case 4: return DType::kUInt8;
    case 5: return DType::kInt16;
    case 6: return DType::kInt8;
    case 7: return DType::kString;
    case 8: return DType::kComplex64;
    case 9: return DType::kInt64;
    case 10: return DType::kBool;
    case 14: return DType::kBFloat16;
    case 17: return DType::kUInt16;
    case 18: return DType::kComplex128;
    case 19: return DType::kFloat16;
    case 20: return DType::kResource;
    case 21: return DType::kVariant;
    case 22: return DType::kUInt32;
    case 23: return DType::kUInt64;
    case 24: return DType::kFloat8E5M2;
    case 25: return DType::kFloat8E4M3FN;
    default: return DType::kUnknown;
  }
}

// One node of a graph as it runs. A node of a function that was inlined bears the call path before its own name.
struct Probe {
  std::uint32_t site = 0;
  std::uint16_t slot = 0;
  bool argument = false;
  std::string path;
  // generation << 32 | path number and generation << 32 | device number of the log they were interned in.
  std::atomic<std::uint64_t> path_number{0};
  std::atomic<std::uint64_t> device_number{0};
};

constexpr char kNameInGraph[] = "tdbg_probe/";

std::string call_path(TF_StringView name) {
  const std::string whole(name.data, name.len);
  const std::size_t own = whole.rfind(kNameInGraph);
  return own == std::string::npos || own == 0 ? "" : whole.substr(0, own - 1);
}

void* create(TF_OpKernelConstruction* construction) {
  auto* probe = new Probe;
  TF_Status* status = api.NewStatus();
  std::int64_t value = 0;
  api.OpKernelConstruction_GetAttrInt64(construction, "site", &value, status);
  probe->site = static_cast<std::uint32_t>(value);
  api.OpKernelConstruction_GetAttrInt64(construction, "slot", &value, status);
  probe->slot = static_cast<std::uint16_t>(value);
  api.OpKernelConstruction_GetAttrInt64(construction, "argument", &value, status);
  probe->argument = value != 0;
  probe->path = call_path(api.OpKernelConstruction_GetName(construction));
  api.DeleteStatus(status);
  return probe;
}

template <typename Name>
std::uint32_t number_of(EventLog* log, NameKind kind, std::atomic<std::uint64_t>* memo, Name name) {
  std::uint64_t known = memo->load(std::memory_order_relaxed);
  if (known >> 32 != log->generation()) {
    known = log->generation() << 32 | log->intern(kind, name());
    memo->store(known, std::memory_order_relaxed);
  }
  return static_cast<std::uint32_t>(known);
}

void record_tensor(EventLog* log, Probe* probe, TF_OpKernelContext* context, const TF_Tensor* tensor) {
  const std::uint32_t path = number_of(log, NameKind::kPath, &probe->path_number, [&] { return probe->path; });
  const std::uint32_t device = number_of(log, NameKind::kDevice, &probe->device_number, [&] {
    const TF_StringView name = api.GetDeviceName(context);
    return std::string(name.data, name.len);
  });
  std::uint64_t sequence = 0;
  Record* record = log->reserve(&sequence);
  if (record == nullptr) return;
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
  fill_tensor(log, dtype_of(api.TensorType(tensor)), api.TensorData(tensor), api.NumDims(tensor),
              [tensor](int axis) { return api.Dim(tensor, axis); }, record);
  log->finish(record, sequence);
}

void compute(void* kernel, TF_OpKernelContext* context) {
  EventLog* log = active_log();
  auto* probe = static_cast<Probe*>(kernel);
  // The argument of a function that was inlined is its caller's tensor, which has its own probe.
  if (log == nullptr || (probe->argument && !probe->path.empty())) return;
  TF_Status* status = api.NewStatus();
  TF_Tensor* tensor = nullptr;
  api.GetInput(context, 0, &tensor, status);
  if (api.GetCode(status) == 0) record_tensor(log, probe, context, tensor);
  if (tensor != nullptr) api.DeleteTensor(tensor);
  api.DeleteStatus(status);
}

void destroy(void* kernel) { delete static_cast<Probe*>(kernel); }

// There are no outputs whose shape could be inferred.
void infer_nothing(TF_ShapeInferenceContext*, TF_Status* status) { api.SetStatus(status, 0, ""); }

void check(TF_Status* status, const char* what) {
  const int code = api.GetCode(status);
  api.DeleteStatus(status);
  if (code != 0) throw std::runtime_error(std::string("TensorFlow refused to register ") + what);
}

}  // namespace

void register_tensorflow_probe(const std::string& library) {
  static bool registered = false;
  if (registered) return;
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  load(handle);
  TF_OpDefinitionBuilder* builder = api.NewOpDefinitionBuilder("TensordbgProbe");
  api.OpDefinitionBuilderAddInput(builder, "x: T");
  api.OpDefinitionBuilderAddAttr(builder, "T: type");
  api.OpDefinitionBuilderAddAttr(builder, "site: int");
  api.OpDefinitionBuilderAddAttr(builder, "slot: int");
  api.OpDefinitionBuilderAddAttr(builder, "argument: int");
  api.OpDefinitionBuilderSetIsStateful(builder, true);
  api.OpDefinitionBuilderSetShapeInferenceFunction(builder, infer_nothing);
  TF_Status* status = api.NewStatus();
  api.RegisterOpDefinition(builder, status);
  check(status, "the probe operation");
  TF_KernelBuilder* kernel = api.NewKernelBuilder("TensordbgProbe", "CPU", create, compute, destroy);
  status = api.NewStatus();
  api.RegisterKernelBuilder("TensordbgProbe", kernel, status);
  check(status, "the probe's kernel");
  registered = true;
}

}  // namespace tensordbg
