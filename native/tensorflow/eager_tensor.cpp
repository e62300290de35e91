#include "tensorflow/eager_tensor.h"

#include <dlfcn.h>

#include <cstring>

namespace tensordbg::tensorflow {

namespace {

// Of TensorFlow's C API (`c_api.h` and `eager/c_api.h`, since 1.4; `TFE_TensorHandleDevicePointer` since 2.2), but for the
// first, which is its Python binding's (`pywrap_tensor.h`, since 2.0).
struct {
  void* (*EagerTensor_Handle)(const PyObject*);
  int (*DataType)(void*);
  int (*NumDims)(void*, void*);
  std::int64_t (*Dim)(void*, int, void*);
  void* (*DevicePointer)(void*, void*);
  void* (*NewStatus)();
  void (*SetStatus)(void*, int, const char*);
  int (*GetCode)(const void*);
} runtime;
bool is_found = false;

template <typename Function>
bool find(void* library, const char* name, Function* function) {
  void* symbol = dlsym(library, name);
  std::memcpy(function, &symbol, sizeof symbol);
  return symbol != nullptr;
}

// One for each thread: it is looked at before the next call.
void* status() {
  thread_local void* const own = runtime.NewStatus();
  return own;
}

}  // namespace

bool find_eager_runtime(const std::string& library) {
  void* const loaded = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  is_found =
      loaded != nullptr && find(loaded, "_Z18EagerTensor_HandlePK7_object", &runtime.EagerTensor_Handle) &&
      find(loaded, "TFE_TensorHandleDataType", &runtime.DataType) &&
      find(loaded, "TFE_TensorHandleNumDims", &runtime.NumDims) && find(loaded, "TFE_TensorHandleDim", &runtime.Dim) &&
      find(loaded, "TFE_TensorHandleDevicePointer", &runtime.DevicePointer) &&
      find(loaded, "TF_NewStatus", &runtime.NewStatus) && find(loaded, "TF_SetStatus", &runtime.SetStatus) &&
      find(loaded, "TF_GetCode", &runtime.GetCode);
  return is_found;
}

EagerTensor eager_tensor(PyObject* tensor) {
  void* const handle = is_found ? runtime.EagerTensor_Handle(tensor) : nullptr;
  return {handle, handle == nullptr ? -1 : runtime.DataType(handle)};
}

int eager_elements(const EagerTensor& tensor, int most, std::int64_t* dims, const void** data) {
  void* const state = status();
  *data = runtime.DevicePointer(tensor.handle, state);
  const int rank = runtime.GetCode(state) == 0 ? runtime.NumDims(tensor.handle, state) : -1;
  for (int axis = 0; axis < rank && rank <= most; ++axis) dims[axis] = runtime.Dim(tensor.handle, axis, state);
  const bool known = runtime.GetCode(state) == 0 && rank <= most;
  if (!known) runtime.SetStatus(state, 0, "");
  return known ? rank : -1;
}

}  // namespace tensordbg::tensorflow
