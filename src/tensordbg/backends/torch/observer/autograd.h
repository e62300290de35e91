// What is asked of the nodes of autograd.
#pragma once

#include <ATen/record_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <cstdint>
#include <cstring>

namespace tensordbg_torch {

// The tensor whose gradient is added up by the node that runs now; null where it does something else.
inline const at::Tensor* summed_for(const at::RecordFunction& fn) {
  static const char kName[] = "AccumulateGrad";
  const char* const name = fn.name();
  const std::size_t length = std::strlen(name);
  if (length < sizeof kName - 1 || std::strcmp(name + length - (sizeof kName - 1), kName) != 0) return nullptr;
  const auto node = torch::autograd::get_current_node();
  const auto* summing = node ? dynamic_cast<const torch::autograd::AccumulateGrad*>(&*node) : nullptr;
  return summing == nullptr ? nullptr : &summing->variable;
}

// What tells the operation that a node differentiates, by the thread and the sequence number that autograd gave it.
inline std::uint64_t forward_key(std::uint64_t thread, std::int64_t sequence) {
  return thread << 44 | (static_cast<std::uint64_t>(sequence) + 1);
}

// So many are known at a time: of a node whose operation was overwritten nothing is known.
constexpr std::size_t kForwards = 65536;

// Whether this thread is in autograd's engine.
inline bool engine_runs() { return static_cast<bool>(torch::autograd::get_current_node()); }

}  // namespace tensordbg_torch
