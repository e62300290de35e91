// Tables of what a thread met of late, to be found without a lock.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tensordbg_torch {

// The place of a key among so many; what stands there may be another key's.
template <typename Entry, std::size_t kPlaces>
Entry& seen_at(std::uint64_t key) {
  static thread_local Entry seen[kPlaces];
  return seen[key % kPlaces];
}

}  // namespace tensordbg_torch
