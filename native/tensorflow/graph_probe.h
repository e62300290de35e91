// What a kernel of ours knows of the tensor that it looks at in a running graph, and how it records it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "log/active.h"
#include "log/event_log.h"
#include "tensorflow/api.h"
#include "tensorflow/place.h"

namespace tensordbg {

// One node of a graph as it runs. A node of a function that was inlined bears the call path before its own name.
struct Probe {
  std::uint32_t site = 0;
  std::uint16_t slot = 0;
  bool argument = false;
  std::string path;
  // generation << 32 | path number and generation << 32 | device number of the log they were interned in.
  std::atomic<std::uint64_t> path_number{0};
  std::atomic<std::uint64_t> device_number{0};
};

// A probe for the node that a kernel is made for, with its attribute `place`.
Probe* new_probe(tensorflow::TF_OpKernelConstruction* construction);

// A probe of the same node for another tensor, which is no argument.
Probe* another_probe(const Probe* probe, const Place& place);

// Reserves a record and fills what does not depend on the tensor; null where the log can't grow.
Record* begin_record(EventLog* log, Probe* probe, tensorflow::TF_OpKernelContext* context, std::uint64_t* sequence);

// Appends the event of a tensor of this dtype, if the log wants it: `fill` fills what depends on the tensor. Whether it did.
template <typename Fill>
bool record_event(EventLog* log, Probe* probe, tensorflow::TF_OpKernelContext* context, DType dtype, Fill fill) {
  if (!log->wants(probe->site, dtype)) return false;
  std::uint64_t sequence = 0;
  Record* record = begin_record(log, probe, context, &sequence);
  if (record == nullptr) return false;
  fill(record);
  log->finish(record, sequence);
  return true;
}

// Appends the event of a tensor that went through a kernel, if the log wants it. Copies its health to `measured` where
// that is not null; returns whether it was measured.
bool record_tensor(EventLog* log, Probe* probe, tensorflow::TF_OpKernelContext* context,
                   const tensorflow::TF_Tensor* tensor, HealthFields* measured = nullptr);

// Whether this is the argument of a function that was inlined: its caller's tensor, which has a probe of its own.
inline bool is_seen_outside(const Probe* probe) { return probe->argument && !probe->path.empty(); }

}  // namespace tensordbg
