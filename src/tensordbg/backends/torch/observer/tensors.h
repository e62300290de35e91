// What is asked of PyTorch's tensors: which can be read at all, and how they lie in memory.
#pragma once

#include <ATen/ATen.h>
#include <c10/core/DispatchKeySet.h>

#include "log_table.h"

namespace tensordbg_torch {

// The number of a dtype in a trace; 0 for quantised and other ones without health.
inline int dtype_number(at::ScalarType type) {
  switch (type) {
    case at::kBool: return 1;
    case at::kChar: return 2;
    case at::kShort: return 3;
    case at::kInt: return 4;
    case at::kLong: return 5;
    case at::kByte: return 6;
    case at::kUInt16: return 7;
    case at::kUInt32: return 8;
    case at::kUInt64: return 9;
    case at::kHalf: return 10;
    case at::kBFloat16: return 11;
    case at::kFloat: return 12;
    case at::kDouble: return 13;
    case at::kFloat8_e4m3fn: return 14;
    case at::kFloat8_e5m2: return 15;
    case at::kComplexFloat: return 16;
    case at::kComplexDouble: return 17;
    default: return 0;
  }
}

// Whether it has elements of its own: wrappers (functorch, functionalization, fake and other Python tensors) have none,
// and operations on what they wrap come by themselves; meta tensors are shapes only.
inline bool has_elements(const at::Tensor& tensor) {
  static const c10::DispatchKeySet wrappers(
      {c10::DispatchKey::Python, c10::DispatchKey::FuncTorchBatched, c10::DispatchKey::FuncTorchGradWrapper,
       c10::DispatchKey::Functionalize, c10::DispatchKey::ZeroTensor});
  return tensor.defined() && !tensor.key_set().has_any(wrappers) && !tensor.is_meta();
}

// Whether the elements lie in the memory of its device as they are.
inline bool is_plain_memory(const at::Tensor& tensor) {
  static const c10::DispatchKeySet lazily({c10::DispatchKey::Conjugate, c10::DispatchKey::Negative});
  return tensor.layout() == at::kStrided && !tensor.key_set().has_any(lazily) && !tensor.is_nested() &&
         !tensor.is_quantized() && tensor.has_storage() && (tensor.numel() == 0 || tensor.storage().data() != nullptr);
}

// Whether the elements can be read as they lie in memory.
inline bool is_readable(const at::Tensor& tensor) { return tensor.is_cpu() && is_plain_memory(tensor); }

inline c10::StorageImpl* storage_of(const at::Tensor& tensor) {
  return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

// Rises with every write that PyTorch counts; tensors of inference mode have none.
inline std::uint32_t version_of(const at::Tensor& tensor) {
  return tensor.is_inference() ? 0 : tensor.unsafeGetTensorImpl()->version_counter().current_version();
}

// Fills what the log takes of a tensor's shape and memory.
inline void describe(const at::Tensor& tensor, TensordbgTensor* into) {
  into->dtype = dtype_number(tensor.scalar_type());
  into->strides = nullptr;
  into->data = nullptr;
  into->health = nullptr;
  into->small = nullptr;
  if (tensor.is_nested()) {  // its rows differ in length
    into->rank = 0;
    into->dims = nullptr;
    into->dtype = 0;
    return;
  }
  into->rank = static_cast<int>(tensor.dim());
  into->dims = tensor.sizes().data();
  if (tensor.numel() == 0 && tensor.layout() == at::kStrided && !tensor.is_quantized()) {
    static const char nothing[1] = {};  // it has no memory, and none of its elements is bad
    into->data = nothing;
    return;
  }
  if (!is_readable(tensor)) return;
  into->data = tensor.const_data_ptr();
  if (!tensor.is_contiguous()) into->strides = tensor.strides().data();
}

// Whether it is a tensor of one fraction without axes, as Python makes one of what elements are set to.
inline bool is_one_number(const at::Tensor& tensor) { return tensor.dim() == 0 && at::isFloatingType(tensor.scalar_type()); }

constexpr int kWhole = -1;

// Calls `look` with each tensor in a value that an operation takes or gives, and its place in the list, `kWhole` in none.
template <typename Look>
void each_tensor(const c10::IValue& value, Look look) {
  int place = 0;
  if (value.isTensor()) {
    if (value.toTensor().defined()) look(value.toTensor(), kWhole);
  } else if (value.isTensorList()) {
    for (const at::Tensor tensor : value.toTensorList()) {
      if (tensor.defined()) look(tensor, place);
      ++place;
    }
  } else if (value.isList()) {
    for (const c10::IValue& each : value.toListRef()) {
      if (each.isTensor() && each.toTensor().defined()) look(each.toTensor(), place);
      else if (!each.isTensor()) each_tensor(each, look);  // a list of lists
      ++place;
    }
  }
}

}  // namespace tensordbg_torch
