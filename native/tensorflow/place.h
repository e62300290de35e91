// Which output of which operation a node of ours looks at. It is one attribute: TensorFlow copies and compares the attributes
// of each node some fifty times before a function runs.
#pragma once

#include <cstdint>

#include "tensorflow/api.h"

namespace tensordbg {

struct Place {
  std::uint32_t site = 0;
  std::uint16_t slot = 0;
  bool argument = false;  // of the function
};

// As `place_number` in backends/tensorflow/functions/definition.py makes it.
inline Place place_of(std::int64_t number) {
  return {static_cast<std::uint32_t>(number), static_cast<std::uint16_t>(number >> 32), (number >> 48 & 1) != 0};
}

inline Place place_attribute(tensorflow::TF_OpKernelConstruction* construction, const char* name) {
  return place_of(tensorflow::integer_attribute(construction, name));
}

}  // namespace tensordbg
