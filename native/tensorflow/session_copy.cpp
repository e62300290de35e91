// The copies that TensorFlow's debugger puts between a watched tensor and whoever takes it.
#include <cstring>
#include <vector>

#include "tensorflow/api.h"
#include "tensorflow/session_names.h"

namespace tensordbg {
namespace {

using namespace tensorflow;  // NOLINT  the C API under its own names

// How the names of all our watches begin.
constexpr char kOurs[] = "Tensordbg";

// Whether a copy was put in for a watch of ours; TensorFlow's debugger may be used by the program as well.
struct Copy {
  bool ours = false;
};

void* create_copy(TF_OpKernelConstruction* construction) {
  auto* copy = new Copy;
  TF_Status* status = api.NewStatus();
  std::int32_t count = 0, bytes = 0;
  api.OpKernelConstruction_GetAttrSize(construction, "debug_ops_spec", &count, &bytes, status);
  if (api.GetCode(status) == 0 && count > 0) {
    std::vector<char*> values(count);
    std::vector<std::size_t> lengths(count);
    std::vector<char> storage(bytes + 1);
    api.OpKernelConstruction_GetAttrStringList(construction, "debug_ops_spec", values.data(), lengths.data(), count,
                                               storage.data(), storage.size(), status);
    copy->ours = api.GetCode(status) == 0 && lengths[0] > std::strlen(kOurs) &&
                 std::memcmp(values[0], kOurs, std::strlen(kOurs)) == 0;
  }
  api.DeleteStatus(status);
  return copy;
}

void put_out_copy(TF_OpKernelContext* context, const TF_Tensor* tensor, TF_Status* status) {
  std::vector<std::int64_t> dims(api.NumDims(tensor));
  for (std::size_t axis = 0; axis < dims.size(); ++axis) dims[axis] = api.Dim(tensor, static_cast<int>(axis));
  const std::size_t bytes = api.TensorByteSize(tensor);
  TF_Tensor* output = api.AllocateOutput(context, 0, api.TensorType(tensor), dims.data(), static_cast<int>(dims.size()),
                                         bytes, status);
  if (output == nullptr) return;
  if (bytes > 0) std::memcpy(api.TensorData(output), api.TensorData(tensor), bytes);
  api.DeleteTensor(output);
}

// A variable without a value: what watches it is given an empty tensor, nothing else takes it.
void put_out_nothing(TF_OpKernelContext* context, TF_Status* status) {
  const std::int64_t none = 0;
  TF_Tensor* output = api.AllocateOutput(context, 0, api.ExpectedOutputDataType(context, 0), &none, 1, 0, status);
  if (output != nullptr) api.DeleteTensor(output);
}

// TensorFlow's own kernel copies each tensor. For our watches the tensor itself is passed on, so that whoever takes it
// has the same memory as without us, and sees in it what a later operation on a reference variable writes. So are strings,
// whose texts lie elsewhere than their elements.
void compute_copy(void* kernel, TF_OpKernelContext* context) {
  TF_Status* status = api.NewStatus();
  TF_Tensor* tensor = nullptr;
  api.GetInput(context, 0, &tensor, status);
  if (api.GetCode(status) != 0) {
    api.SetStatus(status, 0, "");
    put_out_nothing(context, status);
  } else if (static_cast<Copy*>(kernel)->ours || dtype_of(api.TensorType(tensor)) == DType::kString) {
    api.SetOutput(context, 0, tensor, status);
  } else {
    put_out_copy(context, tensor, status);
  }
  if (tensor != nullptr) api.DeleteTensor(tensor);
  api.DeleteStatus(status);
}

void destroy_copy(void* kernel) { delete static_cast<Copy*>(kernel); }

// Only for the types that are recorded; the others keep TensorFlow's kernel, and so do those by which a kernel can't be
// chosen (8-bit floats).
void register_copy(const char* operation, int type) {
  TF_KernelBuilder* builder = api.NewKernelBuilder(operation, "CPU", create_copy, compute_copy, destroy_copy);
  TF_Status* status = api.NewStatus();
  api.KernelBuilder_TypeConstraint(builder, "T", type, status);
  if (api.GetCode(status) == 0) {
    api.KernelBuilder_Priority(builder, 1);
    api.RegisterKernelBuilder(operation, builder, status);
  } else {
    api.DeleteKernelBuilder(builder);
  }
  api.DeleteStatus(status);
}

}  // namespace

void register_copies() {
  static bool registered = false;
  if (registered) return;
  constexpr int kLargestType = 64;
  for (int type = 1; type < kLargestType; ++type) {
    if (element_size(dtype_of(type)) == 0 && dtype_of(type) != DType::kString) continue;
    register_copy("Copy", type);
    register_copy("CopyHost", type);
  }
  registered = true;
}

}  // namespace tensordbg
