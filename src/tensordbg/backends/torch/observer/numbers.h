// Records the numbers that stand in the program's text, once for each place and value.
#pragma once

#include "measured.h"
#include "sites.h"

namespace tensordbg_torch {

// The number in a value that is one, or in a tensor that stands for one.
inline bool is_number(const c10::IValue& value, double* number) {
  if (value.isDouble()) *number = value.toDouble();
  else if (value.isInt()) *number = static_cast<double>(value.toInt());
  else return false;
  return true;
}

inline double number_in(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kDouble ? *tensor.const_data_ptr<double>()
         : tensor.scalar_type() == at::kLong ? static_cast<double>(*tensor.const_data_ptr<std::int64_t>())
                                             : std::numeric_limits<double>::quiet_NaN();
}

inline bool is_number(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->is_wrapped_number() && tensor.is_cpu() && has_elements(tensor) &&
         (tensor.scalar_type() == at::kDouble || tensor.scalar_type() == at::kLong);
}

// The numbers that stood in one place of the program; of many it is none of the text's.
struct Numbers {
  c10::SmallVector<std::pair<std::uint64_t, Known>, 2> known;
};
constexpr std::size_t kMostNumbers = 8;
inline std::mutex g_numbers_mutex;
inline std::unordered_map<std::uint64_t, Numbers> g_numbers;
inline std::unordered_map<std::uint64_t, Known> g_infinities;  // those of the text, and NaN

// One of those that a thread met of late.
struct SeenNumber {
  std::uint64_t key = 0;
  std::uint64_t bits = 0;
  std::uint32_t recording = 0;
  Known known;
};

// What is recorded of a number, once for each place and value.
inline Known known_number(Context* context, double number, int place) {
  const std::uint64_t key = mixed(stack_of(context), static_cast<std::uint64_t>(place) << 48 ^
                                                         reinterpret_cast<std::uintptr_t>(context->operation));
  const std::uint64_t bits = bits_of(number);
  SeenNumber& seen = seen_at<SeenNumber, 512>(mixed(key, bits));
  const bool may_be_seen = std::isfinite(number);
  if (may_be_seen && seen.key == key && seen.bits == bits && seen.recording == g_recording.load(std::memory_order_relaxed)) {
    return seen.known;
  }
  {
    const std::lock_guard<std::mutex> guard(g_numbers_mutex);
    // Autograd computes some of its own: what stands in nobody's text is no infinity that somebody wrote.
    if (!std::isfinite(number) && !t_thread.nodes.empty()) return g_infinities[bits];
    const Numbers& found = g_numbers[key];
    for (const auto& [value, known] : found.known) {
      if (value != bits) continue;
      if (may_be_seen) seen = {key, bits, g_recording.load(std::memory_order_relaxed), known};
      return known;
    }
    if (found.known.size() >= kMostNumbers) return {};
  }
  static const char* const kNumber = "Number";
  const std::int64_t site = site_of(kNumber, stack_of(context), context->autocast, place, {{}, number, {}});
  const std::int64_t execution =
      site < 0 ? -1 : g_log->begin(static_cast<std::uint32_t>(site), g_step.load(), nullptr, 0);
  if (execution < 0) return {};
  TensordbgTensor event{};
  event.execution = execution;
  event.site = static_cast<std::uint32_t>(site);
  event.device = g_cpu.load(std::memory_order_relaxed);
  event.dtype = dtype_number(at::kDouble);
  event.data = &number;
  const bool bad = g_log->tensor(&event) != 0;
  const Known known{execution << 16, kUnknown, false, static_cast<std::uint32_t>(site), bad};
  const std::lock_guard<std::mutex> guard(g_numbers_mutex);
  g_numbers[key].known.emplace_back(bits, known);
  if (!std::isfinite(number)) g_infinities[bits] = known;
  return known;
}

}  // namespace tensordbg_torch
