#include "tensorflow/api.h"

#include <dlfcn.h>

#include <cstring>
#include <stdexcept>

namespace tensordbg::tensorflow {

Api api;

namespace {

template <typename Function>
void find(void* library, const char* name, Function* function) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) {
    throw std::runtime_error(std::string("this TensorFlow lacks ") + name + "; tensordbg needs TensorFlow 2.16 or later");
  }
  std::memcpy(function, &symbol, sizeof symbol);
}

void find_all(void* library) {
#define TENSORDBG_FIND(name) find(library, "TF_" #name, &api.name)
  TENSORDBG_FIND(NewStatus);
  TENSORDBG_FIND(DeleteStatus);
  TENSORDBG_FIND(SetStatus);
  TENSORDBG_FIND(GetCode);
  TENSORDBG_FIND(NewOpDefinitionBuilder);
  TENSORDBG_FIND(OpDefinitionBuilderAddInput);
  TENSORDBG_FIND(OpDefinitionBuilderAddOutput);
  TENSORDBG_FIND(OpDefinitionBuilderAddAttr);
  TENSORDBG_FIND(OpDefinitionBuilderSetIsStateful);
  TENSORDBG_FIND(OpDefinitionBuilderSetShapeInferenceFunction);
  TENSORDBG_FIND(RegisterOpDefinition);
  TENSORDBG_FIND(NewKernelBuilder);
  TENSORDBG_FIND(NewAsyncKernelBuilder);
  TENSORDBG_FIND(RegisterKernelBuilder);
  TENSORDBG_FIND(KernelBuilder_HostMemory);
  TENSORDBG_FIND(DeleteKernelBuilder);
  TENSORDBG_FIND(KernelBuilder_Priority);
  TENSORDBG_FIND(KernelBuilder_TypeConstraint);
  TENSORDBG_FIND(OpKernelConstruction_GetAttrInt64);
  TENSORDBG_FIND(OpKernelConstruction_GetAttrInt64List);
  TENSORDBG_FIND(OpKernelConstruction_GetAttrSize);
  TENSORDBG_FIND(OpKernelConstruction_GetAttrStringList);
  TENSORDBG_FIND(OpKernelConstruction_GetName);
  TENSORDBG_FIND(NumInputs);
  TENSORDBG_FIND(OpKernelContext_Failure);
  TENSORDBG_FIND(GetInput);
  TENSORDBG_FIND(SetOutput);
  TENSORDBG_FIND(AllocateOutput);
  TENSORDBG_FIND(ExpectedOutputDataType);
  TENSORDBG_FIND(GetStepId);
  TENSORDBG_FIND(GetFrameId);
  TENSORDBG_FIND(GetIterId);
  TENSORDBG_FIND(GetDeviceName);
  TENSORDBG_FIND(TensorType);
  TENSORDBG_FIND(NumDims);
  TENSORDBG_FIND(Dim);
  TENSORDBG_FIND(TensorData);
  TENSORDBG_FIND(TensorByteSize);
  TENSORDBG_FIND(DeleteTensor);
#undef TENSORDBG_FIND
}

// How the names of all our nodes begin.
constexpr char kNameInGraph[] = "tdbg_";

// There are no outputs whose shape could be inferred.
void infer_nothing(TF_ShapeInferenceContext*, TF_Status* status) { api.SetStatus(status, 0, ""); }

void check(TF_Status* status, const char* what) {
  const int code = api.GetCode(status);
  api.DeleteStatus(status);
  if (code != 0) throw std::runtime_error(std::string("TensorFlow refused to register ") + what);
}

}  // namespace

void load_api(const std::string& library) {
  static bool loaded = false;
  if (loaded) return;
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  find_all(handle);
  loaded = true;
}

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

std::string call_path(TF_StringView name) {
  const std::string whole(name.data, name.len);
  const std::size_t own = whole.rfind(kNameInGraph);
  return own == std::string::npos || own == 0 ? "" : whole.substr(0, own - 1);
}

std::int64_t integer_attribute(TF_OpKernelConstruction* construction, const char* name) {
  TF_Status* status = api.NewStatus();
  std::int64_t value = 0;
  api.OpKernelConstruction_GetAttrInt64(construction, name, &value, status);
  api.DeleteStatus(status);
  return value;
}

std::vector<std::int64_t> integers_attribute(TF_OpKernelConstruction* construction, const char* name) {
  TF_Status* status = api.NewStatus();
  std::int32_t count = 0;
  std::int32_t bytes = 0;
  api.OpKernelConstruction_GetAttrSize(construction, name, &count, &bytes, status);
  std::vector<std::int64_t> values(api.GetCode(status) == 0 && count > 0 ? static_cast<std::size_t>(count) : 0);
  if (!values.empty()) api.OpKernelConstruction_GetAttrInt64List(construction, name, values.data(), count, status);
  api.DeleteStatus(status);
  return values;
}

namespace {

void define(const Operation& operation) {
  TF_OpDefinitionBuilder* definition = api.NewOpDefinitionBuilder(operation.name);
  for (const char* input : operation.inputs) api.OpDefinitionBuilderAddInput(definition, input);
  for (const char* output : operation.outputs) api.OpDefinitionBuilderAddOutput(definition, output);
  for (const char* attribute : operation.attributes) api.OpDefinitionBuilderAddAttr(definition, attribute);
  // It sets the property whatever its argument.
  if (operation.stateful) api.OpDefinitionBuilderSetIsStateful(definition, true);
  api.OpDefinitionBuilderSetShapeInferenceFunction(definition, infer_nothing);
  TF_Status* status = api.NewStatus();
  api.RegisterOpDefinition(definition, status);
  check(status, operation.name);
}

void add_kernel(const Operation& operation, TF_KernelBuilder* builder) {
  TF_Status* status = api.NewStatus();
  api.RegisterKernelBuilder(operation.name, builder, status);
  check(status, operation.name);
}

}  // namespace

void register_operation(const Operation& operation, const Kernel& kernel) {
  define(operation);
  add_kernel(operation, api.NewKernelBuilder(operation.name, "CPU", kernel.create, kernel.compute, kernel.destroy));
}

void register_operation(const Operation& operation, const AsyncKernel& kernel) {
  define(operation);
  add_kernel(operation, api.NewAsyncKernelBuilder(operation.name, "CPU", kernel.create, kernel.compute, kernel.destroy));
}

void register_beside_gpu(const char* operation, const Kernel& kernel, std::initializer_list<const char*> arguments) {
  TF_KernelBuilder* builder = api.NewKernelBuilder(operation, "GPU", kernel.create, kernel.compute, kernel.destroy);
  for (const char* argument : arguments) api.KernelBuilder_HostMemory(builder, argument);
  TF_Status* status = api.NewStatus();
  api.RegisterKernelBuilder(operation, builder, status);
  check(status, operation);
}

}  // namespace tensordbg::tensorflow
