// The probe operation: `TensordbgProbe(x)` records the health of x and has no output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "health.h"
#include "log.h"

namespace tensordbg {

// Registers the operation and its kernel, once in a process. Throws std::runtime_error with the missing symbol.
void register_tensorflow_probe(const std::string& library);

// Keeps the elements of a tensor whose site is among the chosen ones.
inline void keep_values(EventLog* log, DType dtype, const void* data, Record* record) {
  ValueStore* values = log->values();
  const auto bytes = static_cast<std::int64_t>(element_size(dtype));
  if (values == nullptr || bytes == 0 || !values->sites.has(record->site)) return;
  record->tensor.value_position = values->append(data, record->tensor.size * bytes) + 1;
}

// Fills dtype, shape and, as far as the log's detail goes, health and values. `dim(axis)` gives one extent; the record
// has its site already.
template <typename Dim>
void fill_tensor(EventLog* log, DType dtype, const void* data, int rank, Dim dim, Record* record) {
  const Detail detail = log->detail();
  constexpr std::int64_t kLargestDim = std::numeric_limits<std::uint32_t>::max();
  record->dtype = static_cast<std::uint8_t>(dtype);
  record->flags = 0;
  if (detail == Detail::kOps) {
    record->rank = 255;
    return;
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
  record->rank = static_cast<std::uint8_t>(kept);
  tensor.size = size;
  if (detail >= Detail::kHealth && measure(data, size, dtype, &tensor.health)) record->flags |= kFlagHealth;
  if (detail == Detail::kValues) keep_values(log, dtype, data, record);
}

}  // namespace tensordbg
