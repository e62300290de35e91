// Copies what lies in a memory, on the device where it is, and to this process.
//
// PyTorch's own operations copy, as they run behind whatever writes the memory on a GPU; nobody sees them: they are called
// from within an observer, maybe beneath modes and transforms of the program.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/record_function.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <string>

namespace tensordbg_torch {

class Unseen {
 public:
  Unseen() : none_(wrappers()) {}

 private:
  static c10::DispatchKeySet wrappers() {
    return c10::DispatchKeySet(
        {c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot, c10::DispatchKey::PythonDispatcher,
         c10::DispatchKey::FuncTorchDynamicLayerFrontMode, c10::DispatchKey::FuncTorchDynamicLayerBackMode,
         c10::DispatchKey::FuncTorchVmapMode, c10::DispatchKey::Functionalize});
  }
  at::RecordFunctionGuard off_{false};
  at::AutoDispatchBelowADInplaceOrView below_;
  c10::impl::ExcludeDispatchKeyGuard none_;
};

// The bytes of a memory as a tensor that looks at them.
inline at::Tensor bytes_in(const c10::Storage& storage, std::int64_t low, std::int64_t high) {
  const c10::DispatchKeySet keys(storage.device_type() == at::kCPU ? c10::DispatchKey::CPU : c10::DispatchKey::CUDA);
  at::Tensor bytes = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage), keys, caffe2::TypeMeta::Make<std::uint8_t>());
  const std::int64_t size = high - low, stride = 1;
  bytes.unsafeGetTensorImpl()->set_sizes_and_strides(c10::IntArrayRef(size), c10::IntArrayRef(stride), low);
  return bytes;
}

// ... copied where they are.
inline at::Tensor copied(const c10::Storage& storage) {
  const Unseen unseen;
  const c10::DeviceGuard on(storage.device());
  return bytes_in(storage, 0, static_cast<std::int64_t>(storage.nbytes())).clone();
}

// ... in this process.
inline std::string bytes_here(const c10::Storage& storage, std::int64_t low, std::int64_t high) {
  if (storage.data() == nullptr || high <= low) return {};
  const auto* data = static_cast<const char*>(storage.data());
  if (storage.device_type() == at::kCPU) return {data + low, data + high};
  const Unseen unseen;
  const c10::DeviceGuard on(storage.device());
  const at::Tensor here = bytes_in(storage, low, high).to(at::kCPU);
  const auto* begin = static_cast<const char*>(here.const_data_ptr());
  return {begin, begin + here.nbytes()};
}

}  // namespace tensordbg_torch
