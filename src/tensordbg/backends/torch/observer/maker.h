// What made a tensor, and what is known of a tensor that an operation takes.
#pragma once

#include <cstdint>
#include <vector>

namespace tensordbg_torch {

constexpr std::int64_t kUnknown = -1;
constexpr std::int64_t kNobody = -1;

struct Maker {
  std::int64_t reference = kUnknown;  // the execution << 16 | slot
  std::uint32_t site = 0;
  std::uint64_t order = 0;            // rises with everything that is made
  bool bad = false;                   // it is known not to be finite
  std::int64_t owner = kNobody;       // the variable whose gradient or update it is
};

// What is known of a tensor that an operation takes.
struct Known {
  std::int64_t reference = kUnknown;
  std::int64_t before = kUnknown;  // what made it, where somebody has written into it through another view since
  bool from_outside = false;       // nothing that was recorded made it
  std::uint32_t site = 0;          // of what made it
  bool bad = false;
  bool unwritten = false;          // its memory holds whatever was there before
  std::int64_t owner = kNobody;    // the variable whose gradient or update it is
  std::vector<std::int64_t> more;  // what else wrote parts of it
};

}  // namespace tensordbg_torch
