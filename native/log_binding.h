// What other bindings append to the event log.
#pragma once

#include <cstdint>
#include <vector>

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

// Whether anything is recorded now.
bool is_recording();

// Records that an eager operation has run, and returns its execution; -1 where nothing is recorded.
std::int64_t begin_eager_execution(std::uint32_t site, std::int64_t step, const std::vector<std::int64_t>& inputs);

// Records a tensor of an eager execution, and says whether it is known not to be finite.
bool append_elements(const MadeBy& made_by, DType dtype, const Elements& elements);

}  // namespace tensordbg
