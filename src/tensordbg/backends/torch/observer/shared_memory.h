// Memory that a program can write past all operations, as that of an array of NumPy's: whether it holds what it held.
#pragma once

#include <c10/core/StorageImpl.h>

#include <cstdint>
#include <cstring>

#include "frames.h"

namespace tensordbg_torch {

// Whether somebody else than PyTorch's allocator brought the memory along: that one hands out what it frees itself.
inline bool is_foreign(const c10::StorageImpl& storage) {
  return storage.device().is_cpu() && storage.data_ptr().get_context() != storage.data();
}

// What tells contents apart; of large ones samples, which a memory that is written anew all over differs in.
inline std::uint64_t fingerprint(const c10::StorageImpl& storage) {
  constexpr std::size_t kSample = 16, kMostSamples = 4096;
  if (!storage.device().is_cpu() || storage.data() == nullptr) return 0;
  const auto* const bytes = static_cast<const char*>(storage.data());
  const std::size_t size = storage.nbytes();
  const std::size_t step = size <= kSample * kMostSamples ? kSample : size / kMostSamples;
  std::uint64_t print = size;
  for (std::size_t at = 0; at < size; at += step) {
    std::uint64_t words[2] = {};
    std::memcpy(words, bytes + at, size - at < kSample ? size - at : kSample);
    print = mixed(mixed(print, words[0]), words[1]);
  }
  return print;
}

}  // namespace tensordbg_torch
