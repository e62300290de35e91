// TensorFlow's C API for kernels, as far as it is used here, and what all our operations share. The symbols are looked up
// at run time in the libtensorflow_framework that the process already has, so one binary serves every TensorFlow from
// 2.16 on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "health/measure.h"

namespace tensordbg::tensorflow {

// The few opaque types and the one struct of TensorFlow's C API (tensorflow/c/kernels.h, tf_tensor.h) used here.
struct TF_Status;
struct TF_Tensor;
struct TF_OpKernelContext;
struct TF_OpKernelConstruction;
struct TF_OpDefinitionBuilder;
struct TF_KernelBuilder;
struct TF_ShapeInferenceContext;
struct TF_AsyncOpKernelDoneCallback;
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
  void (*OpDefinitionBuilderAddOutput)(TF_OpDefinitionBuilder*, const char*);
  void (*OpDefinitionBuilderAddAttr)(TF_OpDefinitionBuilder*, const char*);
  void (*OpDefinitionBuilderSetIsStateful)(TF_OpDefinitionBuilder*, bool);
  void (*OpDefinitionBuilderSetShapeInferenceFunction)(TF_OpDefinitionBuilder*,
                                                       void (*)(TF_ShapeInferenceContext*, TF_Status*));
  void (*RegisterOpDefinition)(TF_OpDefinitionBuilder*, TF_Status*);
  TF_KernelBuilder* (*NewKernelBuilder)(const char*, const char*, void* (*)(TF_OpKernelConstruction*),
                                        void (*)(void*, TF_OpKernelContext*), void (*)(void*));
  TF_KernelBuilder* (*NewAsyncKernelBuilder)(const char*, const char*, void* (*)(TF_OpKernelConstruction*),
                                             void (*)(void*, TF_OpKernelContext*, TF_AsyncOpKernelDoneCallback*),
                                             void (*)(void*));
  void (*RegisterKernelBuilder)(const char*, TF_KernelBuilder*, TF_Status*);
  void (*KernelBuilder_HostMemory)(TF_KernelBuilder*, const char*);
  void (*DeleteKernelBuilder)(TF_KernelBuilder*);
  void (*KernelBuilder_Priority)(TF_KernelBuilder*, std::int32_t);
  void (*KernelBuilder_TypeConstraint)(TF_KernelBuilder*, const char*, int, TF_Status*);
  void (*OpKernelConstruction_GetAttrInt64)(TF_OpKernelConstruction*, const char*, std::int64_t*, TF_Status*);
  void (*OpKernelConstruction_GetAttrInt64List)(TF_OpKernelConstruction*, const char*, std::int64_t*, int, TF_Status*);
  void (*OpKernelConstruction_GetAttrSize)(TF_OpKernelConstruction*, const char*, std::int32_t*, std::int32_t*, TF_Status*);
  void (*OpKernelConstruction_GetAttrStringList)(TF_OpKernelConstruction*, const char*, char**, std::size_t*, int, void*,
                                                 std::size_t, TF_Status*);
  TF_StringView (*OpKernelConstruction_GetName)(TF_OpKernelConstruction*);
  int (*NumInputs)(TF_OpKernelContext*);
  void (*OpKernelContext_Failure)(TF_OpKernelContext*, TF_Status*);
  void (*GetInput)(TF_OpKernelContext*, int, TF_Tensor**, TF_Status*);
  void (*SetOutput)(TF_OpKernelContext*, int, const TF_Tensor*, TF_Status*);
  TF_Tensor* (*AllocateOutput)(TF_OpKernelContext*, int, int, const std::int64_t*, int, std::size_t, TF_Status*);
  int (*ExpectedOutputDataType)(TF_OpKernelContext*, int);
  std::int64_t (*GetStepId)(TF_OpKernelContext*);
  std::uint64_t (*GetFrameId)(TF_OpKernelContext*);
  std::int64_t (*GetIterId)(TF_OpKernelContext*);
  TF_StringView (*GetDeviceName)(TF_OpKernelContext*);
  int (*TensorType)(const TF_Tensor*);
  int (*NumDims)(const TF_Tensor*);
  std::int64_t (*Dim)(const TF_Tensor*, int);
  void* (*TensorData)(const TF_Tensor*);
  std::size_t (*TensorByteSize)(const TF_Tensor*);
  void (*DeleteTensor)(TF_Tensor*);
};

extern Api api;

// Finds the symbols, once in a process. Throws std::runtime_error with the missing one.
void load_api(const std::string& library);

// Our dtype by TensorFlow's DataType number (tensorflow/core/framework/types.proto).
DType dtype_of(int type);

// What stands before our own part of a node's name: the calls through which the function that has the node was inlined.
std::string call_path(TF_StringView name);

// An integer attribute of the node that a kernel is made for, 0 where it is missing.
std::int64_t integer_attribute(TF_OpKernelConstruction* construction, const char* name);

// Likewise a list of integers, empty where it is missing.
std::vector<std::int64_t> integers_attribute(TF_OpKernelConstruction* construction, const char* name);

// An operation: inputs and attributes as in TensorFlow's `.Input("x: T")` and `.Attr("T: type")`.
struct Operation {
  const char* name;
  std::initializer_list<const char*> inputs;
  std::initializer_list<const char*> attributes;
  // The runtime keeps the kernel of a stateful operation for a session's life, by the node's name.
  bool stateful = true;
  // Scalars, as in `.Output("y: T")`.
  std::initializer_list<const char*> outputs = {};
};

// What runs an operation on the CPU.
struct Kernel {
  void* (*create)(TF_OpKernelConstruction*);
  void (*compute)(void*, TF_OpKernelContext*);
  void (*destroy)(void*);
};

// The same where `compute` may return before it is done; it then calls the callback that it is given.
struct AsyncKernel {
  void* (*create)(TF_OpKernelConstruction*);
  void (*compute)(void*, TF_OpKernelContext*, TF_AsyncOpKernelDoneCallback*);
  void (*destroy)(void*);
};

// Registers an operation and its kernel; to be done once in a process. Throws std::runtime_error.
void register_operation(const Operation& operation, const Kernel& kernel);
void register_operation(const Operation& operation, const AsyncKernel& kernel);

// Registers a kernel that runs on the host for nodes placed on a GPU; of these arguments it wants the tensors copied there.
void register_beside_gpu(const char* operation, const Kernel& kernel, std::initializer_list<const char*> arguments);

}  // namespace tensordbg::tensorflow
