// Writes a tensor into the log, measured here or by its GPU, and knows which were found bad since.
#pragma once

#include "running.h"

#include <mutex>
#include <optional>
#include <unordered_set>


namespace tensordbg_torch {

inline std::uint16_t device_number(const at::Tensor& tensor) {
  return tensor.is_cpu() ? g_cpu.load(std::memory_order_relaxed) : g_log->device(tensor.device().str().c_str());
}

inline Refused refused(const Weak& weak, const Known& known) {
  const auto alive = weak.lock();
  if (!alive) return {known.reference, {}, {}};
  const at::Tensor tensor(alive);
  const Known found = known.reference == kUnknown ? g_makers.find(tensor) : known;
  return {found.reference, shown(tensor), t_thread.views.behind(alive.get()), address(tensor)};
}

// What was found bad after its operation had returned, by execution and site.
inline std::mutex g_late_mutex;
inline std::unordered_set<std::uint64_t> g_late;

inline std::uint64_t late_key(std::int64_t execution, std::uint32_t site) { return mixed(static_cast<std::uint64_t>(execution), site); }

// A GPU goes on with nothing behind an operation that fails on it, which Python hears of at a later one: the first whose
// result was never measured is the one that failed.
inline std::optional<Failure> g_failed_on_gpu;

inline void note_failure_on_gpu(const Asked& asked) {
  const std::lock_guard<std::mutex> guard(g_late_mutex);
  if (g_failed_on_gpu.has_value()) return;
  Failure failure{asked.event.site, g_step.load()};
  for (const Source& source : asked.sources) {
    Known known;
    known.reference = source.reference;
    failure.given.push_back(refused(source.tensor, known));
  }
  g_failed_on_gpu = std::move(failure);
}

inline void record_measured(const Asked& asked) {
  const bool bad = g_log->tensor(&asked.event) != 0;
  if (asked.event.health == nullptr && !asked.refused) note_failure_on_gpu(asked);
  if (!bad) return;
  const std::lock_guard<std::mutex> guard(g_late_mutex);
  g_late.insert(late_key(asked.event.execution, asked.event.site));
}

inline bool is_bad(std::int64_t reference, std::uint32_t site, bool known) {
  if (known || reference == kUnknown) return known;
  const std::lock_guard<std::mutex> guard(g_late_mutex);
  return !g_late.empty() && g_late.count(late_key(reference >> 16, site)) != 0;
}

inline Sources sources_of(const Context* context) {
  Sources sources;
  if (context == nullptr) return sources;
  for (const Given& given : context->given) {
    if (given.alive.has_value()) sources.push_back({*given.alive, given.known.reference});
  }
  return sources;
}

// Returns whether it is known not to be finite; what a GPU measures is not known yet. `context` is what has made it.
inline bool append(const at::Tensor& tensor, std::int64_t execution, std::uint32_t site, std::uint16_t slot,
            const Context* context = nullptr) {
  TensordbgTensor event{};
  describe(tensor, &event);
  event.execution = execution;
  event.site = site;
  event.slot = slot;
  event.device = device_number(tensor);
  if (g_gpu.measures(tensor) && g_log->measures(site, event.dtype) != 0) {
    if (t_thread.wishes != nullptr) return t_thread.wishes->push_back({tensor, event, sources_of(context)}), false;
    if (g_gpu.ask(tensor, event, sources_of(context), record_measured)) return false;
  }
  g_gpu.settle(record_measured);  // what was computed before comes before it
  return g_log->tensor(&event) != 0;
}

}  // namespace tensordbg_torch
