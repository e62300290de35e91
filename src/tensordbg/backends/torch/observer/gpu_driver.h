// CUDA's driver, as far as kernels are launched with it. It is found at run time: this file is compiled where there is no
// CUDA, against a PyTorch that knows none, and nothing is linked.
//
// The functions are those of CUDA's driver API, stable since CUDA 10; the two of PyTorch's that tell the current stream are
// exported by libc10_cuda.so since before PyTorch 2.4.
#pragma once

#include <c10/core/Stream.h>

#include <cstddef>
#include <cstdint>
#include <dlfcn.h>

namespace tensordbg_torch {

struct Driver {
  using Code = int;
  using Handle = void*;
  using Address = unsigned long long;
  static constexpr Code kSuccess = 0;
  static constexpr Code kNotReady = 600;

  Code (*context)(Handle* context) = nullptr;
  Code (*load)(Handle* module, const void* image) = nullptr;
  Code (*function)(Handle* function, Handle module, const char* name) = nullptr;
  Code (*launch)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                 unsigned block_z, unsigned shared, Handle stream, void** arguments, void** extra) = nullptr;
  Code (*allocate)(Address* memory, std::size_t size) = nullptr;
  Code (*clear)(Address memory, unsigned char with, std::size_t size) = nullptr;
  Code (*allocate_on_host)(void** memory, std::size_t size, unsigned flags) = nullptr;
  Code (*address_on_device)(Address* address, void* memory, unsigned flags) = nullptr;
  Code (*is_capturing)(Handle stream, int* status) = nullptr;
  Code (*query)(Handle stream) = nullptr;

  // False where there is no driver, or an older one.
  bool open() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == nullptr) return false;
    // What later versions have changed goes by another name.
    const bool there = find(driver, "cuCtxGetCurrent", &context) && find(driver, "cuModuleLoadData", &load) &&
                       find(driver, "cuModuleGetFunction", &function) && find(driver, "cuLaunchKernel", &launch) &&
                       find(driver, "cuMemAlloc_v2", &allocate) && find(driver, "cuMemsetD8_v2", &clear) &&
                       find(driver, "cuMemHostAlloc", &allocate_on_host) &&
                       find(driver, "cuMemHostGetDevicePointer_v2", &address_on_device) &&
                       find(driver, "cuStreamIsCapturing", &is_capturing) && find(driver, "cuStreamQuery", &query);
    // It is loaded already where PyTorch has a GPU; without it the stream is the default one.
    if (void* torch = dlopen("libc10_cuda.so", RTLD_NOW | RTLD_NOLOAD); torch != nullptr) {
      find(torch, "_ZN3c104cuda20getCurrentCUDAStreamEa", &current_stream_);
      find(torch, "_ZNK3c104cuda10CUDAStream6streamEv", &handle_of_stream_);
    }
    return there;
  }

  // Where this thread's operations on a device run now.
  Handle stream(std::int8_t device) const {
    if (current_stream_ == nullptr || handle_of_stream_ == nullptr) return nullptr;
    const c10::Stream stream = current_stream_(device);
    return handle_of_stream_(&stream);
  }

 private:
  // c10::cuda::CUDAStream is a c10::Stream and nothing else.
  c10::Stream (*current_stream_)(std::int8_t device) = nullptr;
  Handle (*handle_of_stream_)(const c10::Stream* stream) = nullptr;

  template <typename Function>
  static bool find(void* library, const char* name, Function* into) {
    *into = reinterpret_cast<Function>(dlsym(library, name));
    return *into != nullptr;
  }
};

}  // namespace tensordbg_torch
