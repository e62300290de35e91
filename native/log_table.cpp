// The event log for compiled parts that are built elsewhere: the functions behind log_table.h.
#include "log_table.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "health/measure.h"
#include "log/active.h"
#include "log/event_log.h"
#include "tensorflow/probe.h"

namespace nb = nanobind;

namespace tensordbg {
namespace {

int recording() {
  const ActiveLog active;
  const EventLog* log = active.get();
  return log != nullptr && !log->paused() ? 1 : 0;
}

void fill_common(Record* record, RecordKind kind, std::int64_t owner) {
  record->time_ns = monotonic_ns();
  record->owner = owner;
  record->thread = thread_number();
  record->kind = kind;
}

std::int64_t begin(std::uint32_t site, std::int64_t step, const std::int64_t* inputs, std::size_t total) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr) return -1;
  const std::int64_t execution = log->new_execution();
  if (FirstBad* first_bad = log->first_bad()) first_bad->began(execution, site, inputs, total);
  RecordKind kind = RecordKind::kExecutionBegin;
  std::size_t done = 0;
  do {
    std::uint64_t sequence = 0;
    Record* record = log->reserve(&sequence);
    if (record == nullptr) return execution;
    fill_common(record, kind, execution);
    record->site = site;
    record->function = 0xFFFFFFFFu;
    record->iteration = step;
    record->flags = 0;
    const std::size_t count = std::min(total - done, kMaxInputs);
    record->rank = static_cast<std::uint8_t>(count);
    std::copy_n(inputs + done, count, record->execution.inputs);
    log->finish(record, sequence);
    done += count;
    kind = RecordKind::kExecutionInputs;
  } while (done < total);
  return execution;
}

// The axes by how far apart their elements lie, the farthest first; those of one element have no say.
std::vector<int> by_stride(const TensordbgTensor& tensor) {
  std::vector<int> axes(static_cast<std::size_t>(tensor.rank));
  std::iota(axes.begin(), axes.end(), 0);
  axes.erase(std::remove_if(axes.begin(), axes.end(), [&](int axis) { return tensor.dims[axis] == 1; }), axes.end());
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return tensor.strides[a] > tensor.strides[b]; });
  return axes;
}

// Whether the elements fill their memory without gaps or overlaps, in whatever order.
bool is_dense(const TensordbgTensor& tensor, const std::vector<int>& axes) {
  std::int64_t expected = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (tensor.strides[*axis] != expected) return false;
    expected *= tensor.dims[*axis];
  }
  return true;
}

// The flat row-major index of the element at a place in memory, of a dense tensor.
std::int64_t row_major_index(const TensordbgTensor& tensor, const std::vector<int>& axes, std::int64_t offset) {
  std::vector<std::int64_t> at(static_cast<std::size_t>(tensor.rank), 0);
  for (const int axis : axes) {
    at[axis] = offset / tensor.strides[axis];
    offset %= tensor.strides[axis];
  }
  std::int64_t index = 0;
  for (int axis = 0; axis < tensor.rank; ++axis) index = index * tensor.dims[axis] + at[axis];
  return index;
}

std::size_t size_of(const TensordbgTensor& tensor) {
  std::size_t size = 1;
  for (int axis = 0; axis < tensor.rank; ++axis) size *= static_cast<std::size_t>(tensor.dims[axis]);
  return size;
}

// The elements in row-major order, until this thread gathers others.
const char* gathered(const TensordbgTensor& tensor, std::size_t item) {
  thread_local std::vector<char> elements;
  std::size_t size = size_of(tensor);
  elements.resize(size * item);
  std::vector<std::int64_t> at(static_cast<std::size_t>(tensor.rank), 0);
  const auto* from = static_cast<const char*>(tensor.data);
  std::int64_t offset = 0;
  for (char* to = elements.data(); size > 0; --size, to += item) {
    std::copy_n(from + offset * static_cast<std::int64_t>(item), item, to);
    for (int axis = tensor.rank - 1; axis >= 0; --axis) {
      offset += tensor.strides[axis];
      if (++at[axis] < tensor.dims[axis]) break;
      offset -= at[axis] * tensor.strides[axis];
      at[axis] = 0;
    }
  }
  return elements.data();
}

// Measures a tensor where it lies; its elements are put in order only where they are kept.
void fill_in_place(EventLog* log, const TensordbgTensor& tensor, const std::vector<int>& axes, Record* record) {
  const auto dtype = static_cast<DType>(tensor.dtype);
  if (!fill_shape(log, dtype, tensor.rank, [&tensor](int axis) { return tensor.dims[axis]; }, record)) return;
  HealthFields& health = record->tensor.health;
  if (measure(tensor.data, record->tensor.size, dtype, &health)) record->flags |= kFlagHealth;
  if ((record->flags & kFlagHealth) != 0 && health.first_bad >= 0) {
    health.first_bad = row_major_index(tensor, axes, health.first_bad);
  }
  const bool kept = keeps_values(log, dtype, record);
  if (!kept && !log->sketches()) return;
  const char* elements = gathered(tensor, element_size(dtype));
  keep_sketch(log, dtype, elements, record);
  if (kept) keep_values(log, dtype, elements, record);
}

// Of one that was measured where it lies, on another device: in the order of its memory where that has no gaps.
void fill_measured(EventLog* log, const TensordbgTensor& tensor, Record* record) {
  const auto dtype = static_cast<DType>(tensor.dtype);
  if (!fill_shape(log, dtype, tensor.rank, [&tensor](int axis) { return tensor.dims[axis]; }, record)) return;
  if (tensor.small != nullptr) keep_small(dtype, tensor.small, record);
  if (log->detail() < Detail::kHealth) return;
  HealthFields& health = record->tensor.health;
  static_assert(sizeof health == sizeof *tensor.health);
  std::memcpy(&health, tensor.health, sizeof health);
  record->flags |= kFlagHealth;
  if (health.first_bad < 0 || tensor.strides == nullptr) return;
  health.first_bad = row_major_index(tensor, by_stride(tensor), health.first_bad);
}

void fill(EventLog* log, const TensordbgTensor& tensor, Record* record) {
  const auto dtype = static_cast<DType>(tensor.dtype);
  const auto dim = [&tensor](int axis) { return tensor.dims[axis]; };
  if (tensor.health != nullptr) return fill_measured(log, tensor, record);
  if (tensor.data == nullptr || element_size(dtype) == 0) {
    fill_shape(log, dtype, tensor.rank, dim, record);
    return;
  }
  if (tensor.strides == nullptr || log->detail() < Detail::kHealth) {
    fill_tensor(log, dtype, tensor.data, tensor.rank, dim, record);
    return;
  }
  const std::vector<int> axes = by_stride(tensor);
  // The elements of a small one are in the record, in their order.
  if (size_of(tensor) * element_size(dtype) > kSmallBytes && is_dense(tensor, axes)) {
    fill_in_place(log, tensor, axes, record);
  } else {
    fill_tensor(log, dtype, gathered(tensor, element_size(dtype)), tensor.rank, dim, record);
  }
}

int append(const TensordbgTensor* tensor) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr || !log->wants(tensor->site, static_cast<DType>(tensor->dtype))) return 0;
  std::uint64_t sequence = 0;
  Record* record = log->reserve(&sequence);
  if (record == nullptr) return 0;
  fill_common(record, RecordKind::kEagerTensor, tensor->execution);
  record->site = tensor->site;
  record->slot = tensor->slot;
  record->device = tensor->device;
  fill(log, *tensor, record);
  const HealthFields& health = record->tensor.health;
  const bool bad = (record->flags & kFlagHealth) != 0 && health.neg_inf + health.pos_inf + health.nan > 0;
  log->finish(record, sequence);
  return bad ? 1 : 0;
}

std::uint16_t device(const char* name) {
  const ActiveLog active;
  EventLog* log = active.get();
  return log == nullptr ? 0 : static_cast<std::uint16_t>(log->intern(NameKind::kDevice, name));
}

int measures(std::uint32_t site, int dtype) {
  const ActiveLog active;
  EventLog* log = active.get();
  return log != nullptr && log->detail() >= Detail::kHealth && log->wants(site, static_cast<DType>(dtype)) ? 1 : 0;
}

const TensordbgLogTable kTable = {recording, begin, append, device, measures};

}  // namespace

void bind_log_table(nb::module_& module) {
  module.def(
      "log_table", [] { return nb::capsule(&kTable, TENSORDBG_LOG_TABLE_NAME); },
      "The functions by which a compiled part that is built elsewhere writes into the log.");
}

}  // namespace tensordbg
