// What all parts of the observer share: the log, whether anything is recorded, which step runs, and what is known of tensors.
#pragma once

#include "frames.h"

#include <atomic>

#include "collectives.h"
#include "debugger.h"
#include "failures.h"
#include "gpu_health.h"
#include "interpreter.h"
#include "log_table.h"
#include "makers.h"
#include "module_calls.h"

namespace tensordbg_torch {

inline const TensordbgLogTable* g_log = nullptr;
inline std::atomic<bool> g_on{false};
inline std::atomic<std::int64_t> g_step{0};  // -1 while a step is left out
inline std::atomic<std::uint16_t> g_cpu{0};
inline PyObject* g_describe = nullptr;       // (operation, frames, context, first input, number, settings) -> site
inline PyObject* g_varies = nullptr;         // (site): the fractions among its settings change
inline PyObject* g_fail = nullptr;           // (message)
inline PyTypeObject* g_tensor_type = nullptr;
inline PyObject* g_gradient = nullptr;       // (variable, site, slot): that is its gradient
inline std::uint64_t g_started = 0;          // how often a recording began
// Never destroyed: a tensor that they hold when the process ends may be an array of Python's, which is gone by then.
inline Makers& g_makers = *new Makers;
inline Arrivals& g_arrivals = *new Arrivals;
inline Modules& g_modules = *new Modules;
inline Failures& g_failures = *new Failures;
inline GpuHealth g_gpu;

inline std::atomic<std::uint32_t> g_recording{0};  // how many have been started

inline void fail(const char* what) {
  if (g_on.exchange(false)) tell(g_fail, what);
}

}  // namespace tensordbg_torch
