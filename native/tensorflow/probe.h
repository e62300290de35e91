// The probe operations, which have no outputs: `TensordbgProbe(x)` records the health of x, `TensordbgProbePair(x, y)` that
// of x and of y, the same elements under another shape, `TensordbgProbeConstants(x...)` that of many.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "health/measure.h"
#include "log/event_log.h"
#include "log/strings.h"

namespace tensordbg {

// Registers the operation and its kernel, once in a process. Throws std::runtime_error with the missing symbol.
void register_tensorflow_probe(const std::string& library);

// The same for the operation that records two tensors with the same elements; the API is loaded already.
void register_tensorflow_probe_pair();

// The same for the operation that records many constants.
void register_tensorflow_constants_probe();

// The same for the operation that records what was reduced on another device.
void register_tensorflow_summary_probe();

// Whether the elements of a tensor are kept, which is then counted: its site is among the chosen ones, or it is one of the first
// bad ones. The record has its site and, where it was measured, its health.
inline bool keeps_values(EventLog* log, DType dtype, const Record* record) {
  const ValueStore* values = log->values();
  const auto item = static_cast<std::int64_t>(element_size(dtype));
  if (log->detail() != Detail::kValues || values == nullptr || item == 0) return false;
  if (values->sites.has(record->site)) return true;
  FirstBad* first_bad = log->first_bad();
  const bool measured = (record->flags & kFlagHealth) != 0;
  return first_bad != nullptr && measured &&
         first_bad->wants(record->site, record->tensor.health, record->tensor.size * item);
}

// Keeps them, in row-major order.
inline void keep_values(EventLog* log, DType dtype, const void* data, Record* record) {
  const std::int64_t bytes = record->tensor.size * static_cast<std::int64_t>(element_size(dtype));
  record->tensor.value_position = log->values()->append(data, bytes) + 1;
}

// Fills dtype and, unless the log's detail is operations alone, shape; returns whether it is more than that.
// `dim(axis)` gives one extent.
template <typename Dim>
bool fill_shape(EventLog* log, DType dtype, int rank, Dim dim, Record* record) {
  constexpr std::int64_t kLargestDim = std::numeric_limits<std::uint32_t>::max();
  record->dtype = static_cast<std::uint8_t>(dtype);
  record->flags = 0;
  if (log->detail() == Detail::kOps) {
    record->rank = 255;
    return false;
  }
  TensorFields& tensor = record->tensor;
  const int kept = std::min(rank, static_cast<int>(kMaxDims));
  std::int64_t size = 1;
  for (int axis = 0; axis < rank; ++axis) size *= dim(axis);
  for (int axis = 0; axis < kept; ++axis) {
    tensor.dims[axis] = static_cast<std::uint32_t>(std::min(dim(axis), kLargestDim));
  }
  if (rank > kept) {
    std::int64_t rest = 1;
    for (int axis = kept - 1; axis < rank; ++axis) rest *= dim(axis);
    tensor.dims[kept - 1] = static_cast<std::uint32_t>(std::min(rest, kLargestDim));
    record->flags |= kFlagManyDims;
  }
  if (kept <= static_cast<int>(kSmallRank)) tensor.dims[kSmallRank] = 0;
  if (kept <= static_cast<int>(kSketchRank)) tensor.dims[kSketchRank] = 0;
  record->rank = static_cast<std::uint8_t>(kept);
  tensor.size = size;
  return true;
}

// Puts the sketch of a larger one there, where the log has them; `data` is in row-major order.
inline void keep_sketch(EventLog* log, DType dtype, const void* data, Record* record) {
  TensorFields& tensor = record->tensor;
  if (!log->sketches() || record->rank > kSketchRank) return;
  if (tensor.size * static_cast<std::int64_t>(element_size(dtype)) <= static_cast<std::int64_t>(kSmallBytes)) return;
  SketchFields found;
  if (!sketch(data, tensor.size, dtype, &found)) return;
  std::memcpy(tensor.dims + kSketchRank + 1, &found, sizeof found);
  tensor.dims[kSketchRank] = kSketchMark;
}

// Puts the elements of a small tensor where dimensions would lie that it lacks: what a failed operation was given is told by them.
inline void keep_small(DType dtype, const void* data, Record* record) {
  TensorFields& tensor = record->tensor;
  const std::int64_t bytes = tensor.size * static_cast<std::int64_t>(element_size(dtype));
  if (record->rank > kSmallRank || bytes <= 0 || bytes > static_cast<std::int64_t>(kSmallBytes)) return;
  std::memcpy(tensor.dims + kSmallRank + 1, data, static_cast<std::size_t>(bytes));
  tensor.dims[kSmallRank] = kSmallMark;
}

// Keeps the end of a single text: of a file's path it tells most.
template <typename At>
void keep_text(At at, Record* record) {
  TensorFields& tensor = record->tensor;
  if (record->rank > kSmallRank || tensor.size != 1) return;
  const Text text = at(0);
  const std::size_t kept = std::min(text.size, kSmallBytes);
  if (kept > 0) std::memcpy(tensor.dims + kSmallRank + 1, text.data + (text.size - kept), kept);
  tensor.dims[kSmallRank] = kSmallMark;
}

// Fills dtype, shape and, as far as the log's detail goes, lengths and texts of a tensor of strings; `at(k)` gives one.
template <typename Dim, typename At>
void fill_strings(EventLog* log, int rank, Dim dim, At at, Record* record) {
  if (!fill_shape(log, DType::kString, rank, dim, record) || log->detail() < Detail::kHealth) return;
  TensorFields& tensor = record->tensor;
  measure_lengths(tensor.size, at, &tensor.health);
  record->flags |= kFlagHealth;
  keep_text(at, record);
  ValueStore* values = log->values();
  if (log->detail() != Detail::kValues || values == nullptr || !values->sites.has(record->site)) return;
  const std::vector<char> packed = pack(tensor.size, at);
  tensor.value_position = values->append(packed.data(), static_cast<std::int64_t>(packed.size())) + 1;
}

// Fills dtype, shape and, as far as the log's detail goes, health and values; the record has its site already.
template <typename Dim>
void fill_tensor(EventLog* log, DType dtype, const void* data, int rank, Dim dim, Record* record) {
  if (!fill_shape(log, dtype, rank, dim, record)) return;
  keep_small(dtype, data, record);
  const Detail detail = log->detail();
  TensorFields& tensor = record->tensor;
  if (detail >= Detail::kHealth && measure(data, tensor.size, dtype, &tensor.health)) record->flags |= kFlagHealth;
  keep_sketch(log, dtype, data, record);
  if (keeps_values(log, dtype, record)) keep_values(log, dtype, data, record);
}

// The same for a tensor whose elements are those of one that was measured before, under another shape.
template <typename Dim>
void fill_tensor_again(EventLog* log, DType dtype, const void* data, int rank, Dim dim, const HealthFields& health,
                       Record* record) {
  if (!fill_shape(log, dtype, rank, dim, record)) return;
  keep_small(dtype, data, record);
  record->tensor.health = health;
  record->flags |= kFlagHealth;
  keep_sketch(log, dtype, data, record);
  if (keeps_values(log, dtype, record)) keep_values(log, dtype, data, record);
}

// Fills dtype, shape and, from the eleven numbers of TensorFlow's FULL_HEALTH summary, what they tell; `summary` is null
// where there is none.
template <typename Dim>
void fill_summary(EventLog* log, DType dtype, const double* summary, int rank, Dim dim, Record* record) {
  if (!fill_shape(log, dtype, rank, dim, record) || summary == nullptr || log->detail() < Detail::kHealth) return;
  constexpr std::int64_t kNone = -1;
  constexpr std::int64_t kSomewhere = -2;
  HealthFields& health = record->tensor.health;
  health.neg_inf = static_cast<std::int64_t>(summary[5]);
  health.pos_inf = static_cast<std::int64_t>(summary[6]);
  health.nan = static_cast<std::int64_t>(summary[7]);
  health.negative = static_cast<std::int64_t>(summary[8]);
  health.zero = static_cast<std::int64_t>(summary[9]);
  health.first_bad = health.neg_inf + health.pos_inf + health.nan > 0 ? kSomewhere : kNone;
  record->flags |= kFlagSize | kFlagFiniteness | kFlagSpecials | kFlagSigns;
}

}  // namespace tensordbg
