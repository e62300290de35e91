// The memory of the tensors of a step: what it was made by, or, of what comes from outside, what it held.
#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tensors.h"

namespace tensordbg_torch {

// A tensor as a way to look at a memory.
struct At {
  int memory = -1;  // -1 where there is no tensor
  int dtype = 0;
  std::int64_t offset = 0;  // in elements
  c10::SmallVector<std::int64_t, 4> sizes;
  c10::SmallVector<std::int64_t, 4> strides;
};

struct Memory {
  c10::weak_intrusive_ptr<c10::StorageImpl> alive;  // keeps its address from being used again
  bool born = false;        // an operation of the step made it
  c10::Storage held;        // of one from outside, which is read when a capture is made
  std::string copy;         // ... or here, since the step writes into it
  bool copied = false;
  c10::VariableVersion version;
  std::uint32_t first_version = 0;
  At first;                 // how it was looked at first
  std::int64_t low = 0, high = 0;  // the bytes that the step uses
};

inline std::pair<std::int64_t, std::int64_t> bytes_of(const At& at, std::int64_t item) {
  std::int64_t low = at.offset, high = at.offset + 1;
  for (std::size_t i = 0; i < at.sizes.size(); ++i) {
    if (at.sizes[i] == 0) return {0, 0};
    high += (at.sizes[i] - 1) * at.strides[i];
  }
  return {low * item, high * item};
}

class Memories {
 public:
  void clear() {
    numbers_.clear();
    all_.clear();
    exchanged_.clear();
    arrived_.clear();
  }

  // Other processes write into a tensor: from now on its memory comes from outside, whatever it held before.
  void exchange(const at::Tensor& tensor) {
    c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
    const auto [number, is_new] = number_of(tensor);  // keeps its address from being used again
    if (is_new) all_[number].born = true;             // nobody has read what it held
    numbers_.erase(storage);
    exchanged_.insert(storage);
  }

  // The memories that hold what came from other processes.
  const std::vector<int>& arrived() const { return arrived_; }

  // A tensor that an operation takes: what nothing in the step has made comes from outside.
  At take(const at::Tensor& tensor, bool writes) {
    At at = looked_at(tensor);
    auto [number, is_new] = number_of(tensor);
    at.memory = number;
    Memory& memory = all_[number];
    if (memory.born) return at;
    if (is_new) {
      memory.held = tensor.storage();
      if (!tensor.is_inference()) {
        memory.version = tensor.unsafeGetTensorImpl()->version_counter();
        memory.first_version = memory.version.current_version();
      }
      memory.first = at;
    }
    const auto [low, high] = bytes_of(at, static_cast<std::int64_t>(tensor.itemsize()));
    const bool unused = memory.low == memory.high;
    if (low < high) {
      memory.low = unused ? low : std::min(memory.low, low);
      memory.high = unused ? high : std::max(memory.high, high);
    }
    if (writes && !memory.copied) {
      memory.copied = true;
      memory.copy.assign(static_cast<const char*>(memory.held.data()), memory.held.nbytes());
    }
    return at;
  }

  // A tensor that an operation gives.
  At give(const at::Tensor& tensor) {
    At at = looked_at(tensor);
    auto [number, is_new] = number_of(tensor);
    at.memory = number;
    if (is_new) all_[number].born = true;
    return at;
  }

  // A tensor that the step has used, or that lies where it has used one.
  At find(const at::Tensor& tensor) const {
    At at = looked_at(tensor);
    const auto found = numbers_.find(tensor.storage().unsafeGetStorageImpl());
    if (found != numbers_.end()) at.memory = found->second;
    return at;
  }

  const std::vector<Memory>& all() const { return all_; }

 private:
  static At looked_at(const at::Tensor& tensor) {
    At at;
    at.dtype = static_cast<int>(tensor.scalar_type());
    at.offset = tensor.storage_offset();
    at.sizes.append(tensor.sizes().begin(), tensor.sizes().end());
    at.strides.append(tensor.strides().begin(), tensor.strides().end());
    return at;
  }

  std::pair<int, bool> number_of(const at::Tensor& tensor) {
    c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
    const auto [found, is_new] = numbers_.emplace(storage, static_cast<int>(all_.size()));
    if (is_new) {
      if (exchanged_.count(storage) > 0) arrived_.push_back(found->second);
      all_.push_back({c10::weak_intrusive_ptr<c10::StorageImpl>(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage))});
    }
    return {found->second, is_new};
  }

  std::unordered_map<c10::StorageImpl*, int> numbers_;
  std::vector<Memory> all_;
  std::unordered_set<c10::StorageImpl*> exchanged_;
  std::vector<int> arrived_;
};

}  // namespace tensordbg_torch
