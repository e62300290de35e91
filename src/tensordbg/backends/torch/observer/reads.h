// What the program reads of bad numbers is a result of it.
#pragma once

#include "entering.h"

namespace tensordbg_torch {

constexpr std::int64_t kPlumbing = -2;  // in place of a site: nothing of the program's own, such as printing a tensor

// Bad numbers that the program read: the reference, and the site of the reading.
constexpr std::size_t kMostReads = 65536;
inline std::mutex g_reads_mutex;
inline std::vector<std::pair<std::int64_t, std::int64_t>> g_reads;

// Where the program reads: the line of its own, whatever computes for it.
inline std::int64_t reading_site() {
  return site_of("read", stack_hash(), 0, -1);
}

// A bad number that the program reads is a result of it.
inline void note_read(const Context* context) {
  g_gpu.settle(record_measured);  // a read waits for the GPU
  const auto bad = [](const Known& known) { return is_bad(known.reference, known.site, known.bad); };
  bool any = false;
  for (const Given& given : context->given) any = any || bad(given.known);
  if (!any) return;
  const std::int64_t where = reading_site();
  if (where < 0) return;
  for (const Given& given : context->given) {
    if (!bad(given.known) || given.known.reference == kUnknown) continue;
    const std::lock_guard<std::mutex> guard(g_reads_mutex);
    if (g_reads.size() < kMostReads) g_reads.emplace_back(given.known.reference, where);
  }
}

// ... also where no operation does it.
inline void on_read(const at::Tensor& tensor, bool shares) {
  if (!at::isRecordFunctionEnabled()) return;  // tensordbg itself looks, which is no read of the program's
  if (!g_on.load(std::memory_order_relaxed) || t_thread.busy || g_log->recording() == 0) return;
  const Busy busy;
  try {
    if (!has_elements(tensor)) return;
    if (shares) g_makers.share(tensor);
    Context context(nullptr);
    context.given.push_back({nullptr, nullptr, find(tensor)});
    note_read(&context);
  } catch (...) {
    fail("an unknown fault in a read");
  }
}

}  // namespace tensordbg_torch
