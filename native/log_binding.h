// What other bindings append to the event log.
#pragma once

#include <cstdint>

#include "health/measure.h"

namespace tensordbg {

struct MadeBy {
  std::int64_t execution;
  std::uint32_t site;
  std::uint16_t slot;
  std::uint16_t device;
};

// The elements of a tensor, one behind the other, and its shape.
struct Elements {
  const void* data;
  int rank;
  const std::int64_t* dims;
};

// Records a tensor of an eager execution, and says whether it is known not to be finite.
bool append_elements(const MadeBy& made_by, DType dtype, const Elements& elements);

}  // namespace tensordbg
