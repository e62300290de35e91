// Notes what an operation is given and what it gives.
#pragma once

#include <ATen/Context.h>

#include <algorithm>

#include "entries.h"

namespace tensordbg_torch {

// A step that can't be run again need not be noted any further.
inline void trouble(const Operation& operation, const char* why) {
  if (g_log.trouble.empty()) g_log.trouble = operation.name + " " + why;
  g_active.store(false);
}

// Returns whether it is a tensor whose elements lie in memory as they are.
inline bool is_plain(const at::Tensor& tensor) {
  return (tensor.is_cpu() || tensor.is_cuda()) && tensor.layout() == at::kStrided && !tensor.is_nested() && !tensor.is_quantized() &&
         tensor.has_storage() && !tensor.is_conj() && !tensor.is_neg() && !tensor.is_mkldnn();
}

inline void take(const Operation& operation, const at::Tensor& tensor, bool written) {
  if (is_plain(tensor)) {
    g_log.tensors.push_back(g_log.memories.take(tensor, written));
  } else {
    trouble(operation, "computes with a tensor that is not dense, or neither on the processor nor on a GPU");
    g_log.tensors.emplace_back();
  }
}

inline bool is_number(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->is_wrapped_number() && tensor.is_cpu() &&
         (tensor.scalar_type() == at::kDouble || tensor.scalar_type() == at::kLong);
}

inline c10::IValue number_in(const at::Tensor& tensor) {
  if (tensor.scalar_type() == at::kDouble) return *tensor.const_data_ptr<double>();
  return *tensor.const_data_ptr<std::int64_t>();
}

inline bool holds_tensors(const c10::IValue& value) {
  if (value.isTensorList()) return true;
  if (!value.isList()) return false;
  const auto all = value.toListRef();
  return std::any_of(all.begin(), all.end(), [](const c10::IValue& each) { return each.isTensor(); });
}

inline void note_argument(const Operation& operation, const c10::IValue& value, bool written) {
  Argument& argument = g_log.arguments.emplace_back();
  const std::size_t first = g_log.tensors.size();
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (!tensor.defined()) return;
    if (is_number(tensor)) {
      argument.value = number_in(tensor);
      return;
    }
    argument.kind = Kind::kTensor;
    take(operation, tensor, written);
  } else if (holds_tensors(value)) {
    argument.kind = Kind::kTensors;
    for (const c10::IValue& each : value.toListRef()) {
      if (each.isTensor() && each.toTensor().defined()) take(operation, each.toTensor(), written);
      else g_log.tensors.emplace_back();
    }
  } else {
    argument.value = value;
  }
  argument.tensors = g_log.from(first);
}

// The device on which an operation draws: that of what it is given, or the one that it is told.
inline c10::Device drawing_device(const c10::ArrayRef<c10::IValue>& inputs) {
  c10::Device found(at::kCPU);
  for (const c10::IValue& each : inputs) {
    each_tensor(each, [&](const at::Tensor& tensor, int) {
      if (tensor.is_cuda()) found = tensor.device();
    });
    if (each.isDevice() && each.toDevice().is_cuda()) found = each.toDevice();
  }
  return found;
}

// The state of the generator that an operation is about to draw from.
inline int noted_state(const c10::ArrayRef<c10::IValue>& inputs) {
  at::Generator generator = at::globalContext().defaultGenerator(drawing_device(inputs));
  for (const c10::IValue& each : inputs) {
    if (each.isGenerator()) generator = each.toGenerator();
  }
  at::Tensor state;
  {
    const std::lock_guard<std::mutex> guard(generator.mutex());
    state = generator.get_state();
  }
  g_log.states.push_back({generator.device(), std::move(state)});
  return static_cast<int>(g_log.states.size()) - 1;
}

inline bool wraps(const c10::ArrayRef<c10::IValue>& values) {
  bool found = false;
  for (const c10::IValue& value : values) {
    each_tensor(value, [&](const at::Tensor& tensor, int) { found = found || !has_elements(tensor); });
  }
  return found;
}

// What processes exchange in place is read where it is used next, when it has arrived, as what comes from outside is.
inline void note_exchange(const Operation& operation, const c10::ArrayRef<c10::IValue>& inputs) {
  if (!begins_with(operation.name, "c10d::") && !begins_with(operation.name, "_c10d_functional::")) return;
  const std::lock_guard<std::mutex> guard(g_mutex);
  bool in_place = is_among(operation.name, {"c10d::allreduce_", "c10d::allreduce_coalesced_", "c10d::broadcast_", "c10d::reduce_",
                                            "c10d::barrier", "c10d::monitored_barrier_", "c10d::send", "c10d::recv_"});
  for (const c10::IValue& value : inputs) {
    each_tensor(value, [&](const at::Tensor& tensor, int) {
      if (!has_elements(tensor) || !is_plain(tensor)) {
        in_place = false;
      } else if (in_place) {
        g_log.memories.exchange(tensor);
      }
    });
  }
  if (!in_place) trouble(operation, "exchanges tensors with other processes");
}

// The first operation of a sequence number is the one that the program called.
inline void note_forward(std::uint64_t key, std::uint64_t window, std::size_t entry) {
  Forward& here = g_forwards[key % kForwards];
  if (here.key != key || here.window != window) here = {key, window, static_cast<std::int64_t>(entry)};
}

inline void note_result(const Operation& operation, const at::Tensor& tensor) {
  if (is_plain(tensor)) {
    auto& memories = g_log.memories;
    g_log.tensors.push_back(operation.unwritten ? memories.give_unwritten(tensor) : memories.give(tensor));
  } else {
    g_log.tensors.emplace_back();
    trouble(operation, "gives a tensor that is not dense, or neither on the processor nor on a GPU");
  }
}

inline void add_entry(const Entry& entry) {
  g_log.entries.push_back(entry);
  if (g_log.entries.size() < kMost) return;
  g_log.clear();
  g_log.trouble = "it has too many operations";
  g_active.store(false);
}

}  // namespace tensordbg_torch
