// How a kernel fails its operation.
#pragma once

#include <string>

#include "tensorflow/api.h"

namespace tensordbg {

inline void fail(tensorflow::TF_OpKernelContext* context, const std::string& message) {
  constexpr int kInvalidArgument = 3;  // TF_INVALID_ARGUMENT
  tensorflow::TF_Status* status = tensorflow::api.NewStatus();
  tensorflow::api.SetStatus(status, kInvalidArgument, message.c_str());
  tensorflow::api.OpKernelContext_Failure(context, status);
  tensorflow::api.DeleteStatus(status);
}

}  // namespace tensordbg
