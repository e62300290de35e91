// Records what comes from outside where it is first used: data, variables, and what other processes have sent.
#pragma once

#include "measured.h"
#include "sites.h"

namespace tensordbg_torch {

// Records what others have sent.
inline void arrive(const Arrival& arrival) {
  const at::Tensor tensor = arrival.tensor();
  if (!tensor.defined()) return;
  const Sending& sending = *arrival.sending;
  if (sending.execution < 0) return g_makers.forget(tensor);  // its step was left out, or it failed
  const bool bad = append(tensor, sending.execution, sending.site, arrival.slot);
  g_makers.made_uncounted(tensor, Maker{sending.execution << 16 | arrival.slot, sending.site, 0, bad});
}

// Whether something is still on its way into a tensor's memory; what has come is recorded.
inline bool is_awaited(const at::Tensor& tensor) { return g_arrivals.any() && g_arrivals.settle(storage_of(tensor), arrive); }

inline Known find(const at::Tensor& tensor) {
  is_awaited(tensor);
  return g_makers.find(tensor);
}

// Remembers what has come from outside, and that the program can write it again where the memory is another's.
inline void come(const at::Tensor& tensor, const Maker& maker) {
  g_makers.made(tensor, maker);
  if (const c10::StorageImpl* storage = storage_of(tensor); storage != nullptr && is_foreign(*storage)) g_makers.share(tensor);
}

// A variable as it is now: one site stands for all that it holds before something writes it.
inline Known enter_variable(const at::Tensor& tensor, std::int64_t variable) {
  static const char* const kParameter = "Parameter";
  const Known before = find(tensor);
  const std::int64_t site = site_of(kParameter, 1, 0, -1, {{}, 0, Owner{variable, false}});
  if (site < 0 || g_step.load() < 0) return {};
  const std::size_t inputs = before.reference == kUnknown ? 0 : 1;
  const std::int64_t execution = g_log->begin(static_cast<std::uint32_t>(site), g_step.load(), &before.reference, inputs);
  if (execution < 0) return {};
  const bool bad = append(tensor, execution, static_cast<std::uint32_t>(site), 0);
  come(tensor, Maker{execution << 16, static_cast<std::uint32_t>(site), 0, bad});
  return {execution << 16, kUnknown, false, static_cast<std::uint32_t>(site), bad};
}

// What comes from outside is recorded where it is first used.
inline Known enter(const at::Tensor& tensor, Context* context, int place) {
  static const char* const kInput = "Input";
  static const char* const kSet = "Set";  // what elements are set to, if Python finds that the program does that
  if (const std::int64_t variable = g_makers.variable_of(tensor); variable != kNobody) return enter_variable(tensor, variable);
  const bool may_be_set = context->operation != nullptr && context->operation->enters && is_one_number(tensor);
  const double number = may_be_set ? std::numeric_limits<double>::quiet_NaN() : 0;  // it changes from call to call
  const std::int64_t site =
      site_of(may_be_set ? kSet : kInput, stack_of(context), context->autocast, place, {{}, number, {}});
  if (site < 0) return {};
  const std::int64_t execution = g_log->begin(static_cast<std::uint32_t>(site), g_step.load(), nullptr, 0);
  if (execution < 0) return {};
  const bool bad = append(tensor, execution, static_cast<std::uint32_t>(site), 0);
  come(tensor, Maker{execution << 16, static_cast<std::uint32_t>(site), 0, bad});
  return {execution << 16, kUnknown, false, static_cast<std::uint32_t>(site), bad};
}

}  // namespace tensordbg_torch
