// What a GPU is asked to measure, and of which operation it is.
#pragma once

#include <ATen/ATen.h>
#include <c10/util/SmallVector.h>

#include <cstdint>

#include "log_table.h"

namespace tensordbg_torch {

// What an operation was given, as far as it can be told later.
struct Source {
  c10::weak_intrusive_ptr<c10::TensorImpl> tensor;
  std::int64_t reference;
};
using Sources = c10::SmallVector<Source, 2>;

// A tensor that is measured, and whose it is. Without health its measurement never ended: the GPU had failed.
struct Asked {
  TensordbgTensor event{};
  c10::SmallVector<std::int64_t, 6> dims, strides;
  Sources sources;
  bool refused = false;  // ... or never began, for a reason of its own
};

// A tensor to be measured with others.
struct Wish {
  at::Tensor tensor;
  TensordbgTensor event{};
  Sources sources;
};

}  // namespace tensordbg_torch
