// Has the allocator keep what the program frees, as long as it is little, instead of giving it back to the system.
//
// The head of a tensor that is watched stays where it was when the tensor is freed, between the program's own blocks of memory.
// glibc then gives pages back with nearly every step and takes new ones, which cost a fifth of the step of a transformer.
#pragma once

#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace tensordbg_torch {

// Once in a process. Whoever has chosen the thresholds himself keeps them.
inline void keep_freed_memory() {
#if defined(__GLIBC__)
  static const bool done = [] {
    for (const char* own : {"MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_", "GLIBC_TUNABLES"}) {
      if (std::getenv(own) != nullptr) return true;
    }
    constexpr int kLargest = 32 << 20;  // what glibc comes to by itself when the program has freed so large a block
    mallopt(M_MMAP_THRESHOLD, kLargest);
    mallopt(M_TRIM_THRESHOLD, 4 * kLargest);
    return true;
  }();
  static_cast<void>(done);
#endif
}

}  // namespace tensordbg_torch
