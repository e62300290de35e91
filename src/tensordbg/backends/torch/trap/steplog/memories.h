// The memory of the tensors of a step: what it was made by, or, of what comes from outside, what it held.
#pragma once

#include <ATen/ATen.h>
#include <c10/util/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "copies.h"
#include "tensors.h"

namespace tensordbg_torch {

// A tensor as a way to look at a memory. Its sizes, and behind them its strides, stand among those of all.
struct At {
  int memory = -1;  // -1 where there is no tensor
  std::int16_t dtype = 0;
  std::uint16_t rank = 0;
  std::int64_t offset = 0;  // in elements
  std::size_t shape = 0;    // where they stand
};

// Sizes and strides of tensors, one behind the other: a step has thousands of them, which take no memory of their own.
class Shapes {
 public:
  void clear() { all_.clear(); }

  At add(const at::Tensor& tensor) {
    At at;
    at.dtype = static_cast<std::int16_t>(tensor.scalar_type());
    at.rank = static_cast<std::uint16_t>(tensor.dim());
    at.offset = tensor.storage_offset();
    at.shape = all_.size();
    all_.insert(all_.end(), tensor.sizes().begin(), tensor.sizes().end());
    all_.insert(all_.end(), tensor.strides().begin(), tensor.strides().end());
    return at;
  }

  c10::ArrayRef<std::int64_t> sizes(const At& at) const { return {all_.data() + at.shape, at.rank}; }
  c10::ArrayRef<std::int64_t> strides(const At& at) const { return {all_.data() + at.shape + at.rank, at.rank}; }

  // The first byte of a tensor, and the one behind its last.
  std::pair<std::int64_t, std::int64_t> bytes_of(const At& at, std::int64_t item) const {
    std::int64_t high = at.offset + 1;
    for (std::size_t i = 0; i < at.rank; ++i) {
      if (sizes(at)[i] == 0) return {0, 0};
      high += (sizes(at)[i] - 1) * strides(at)[i];
    }
    return {at.offset * item, high * item};
  }

 private:
  std::vector<std::int64_t> all_;
};

// What was in a memory that comes from outside.
struct Outside {
  c10::Storage held;        // which is read when a capture is made
  at::Tensor copy;          // ... or this, since the step writes into it
  c10::VariableVersion version{c10::VariableVersion::DISABLED};
  std::uint32_t first_version = 0;
  At first;                 // how it was looked at first
  std::int64_t low = 0, high = 0;  // the bytes that the step uses
};

struct Memory {
  c10::weak_intrusive_ptr<c10::StorageImpl> alive;  // keeps its address from being used again
  int outside = -1;  // its place among those from outside; an operation of the step made the others
  bool unwritten = false;  // ... of which no operation has written this one yet
};

class Memories {
 public:
  // Their tables stay as large as they are, for the next step.
  void clear() {
    numbers_.clear();
    all_.clear();
    outside_.clear();
    exchanged_.clear();
    arrived_.clear();
    shapes_.clear();
  }

  // Other processes write into a tensor: from now on its memory comes from outside, whatever it held before.
  void exchange(const at::Tensor& tensor) {
    c10::StorageImpl* storage = storage_of(tensor);
    number_of(storage);  // keeps its address from being used again; nobody has read what it held
    numbers_.erase(storage);
    exchanged_.insert(storage);
  }

  // The memories that hold what came from other processes.
  const std::vector<int>& arrived() const { return arrived_; }

  // A tensor that an operation takes: what nothing in the step has made comes from outside.
  At take(const at::Tensor& tensor, bool writes) {
    At at = shapes_.add(tensor);
    const auto [number, is_new] = number_of_taken(storage_of(tensor), writes);
    at.memory = number;
    if (is_new) {
      all_[number].outside = static_cast<int>(outside_.size());
      outside_.emplace_back();
      Outside& outside = outside_.back();
      outside.held = tensor.storage();
      if (!tensor.is_inference()) {
        outside.version = tensor.unsafeGetTensorImpl()->version_counter();
        outside.first_version = outside.version.current_version();
      }
      outside.first = at;
    }
    if (all_[number].outside >= 0) use(&outside_[all_[number].outside], at, static_cast<std::int64_t>(tensor.itemsize()), writes);
    return at;
  }

  // A tensor that an operation gives.
  At give(const at::Tensor& tensor) {
    At at = shapes_.add(tensor);
    at.memory = number_of(storage_of(tensor)).first;
    return at;
  }

  // ... with whatever was in its memory.
  At give_unwritten(const at::Tensor& tensor) {
    At at = shapes_.add(tensor);
    const auto [number, is_new] = number_of(storage_of(tensor));
    at.memory = number;
    all_[number].unwritten = all_[number].unwritten || is_new;
    return at;
  }

  // A tensor that the step has used, or that lies where it has used one.
  At find(const at::Tensor& tensor) {
    At at = shapes_.add(tensor);
    const auto found = numbers_.find(storage_of(tensor));
    if (found != numbers_.end()) at.memory = found->second;
    return at;
  }

  const std::vector<Memory>& all() const { return all_; }
  // What a memory held that comes from outside; null where the step made it.
  const Outside* outside(const Memory& memory) const { return memory.outside < 0 ? nullptr : &outside_[memory.outside]; }
  const Shapes& shapes() const { return shapes_; }

 private:
  void use(Outside* outside, const At& at, std::int64_t item, bool writes) {
    const auto [low, high] = shapes_.bytes_of(at, item);
    const bool unused = outside->low == outside->high;
    if (low < high) {
      outside->low = unused ? low : std::min(outside->low, low);
      outside->high = unused ? high : std::max(outside->high, high);
    }
    if (writes && !outside->copy.defined()) outside->copy = copied(outside->held);
  }

  // What is read though no operation has written it was written past all of them, as the numbers of `torch.tensor` are: it
  // comes from outside, and is another memory than the empty one.
  std::pair<int, bool> number_of_taken(c10::StorageImpl* storage, bool writes) {
    const auto found = numbers_.find(storage);
    if (found != numbers_.end() && all_[found->second].unwritten) {
      if (!writes) numbers_.erase(found);
      else all_[found->second].unwritten = false;
    }
    return number_of(storage);
  }

  std::pair<int, bool> number_of(c10::StorageImpl* storage) {
    const auto [found, is_new] = numbers_.emplace(storage, static_cast<int>(all_.size()));
    const int number = found->second;
    if (is_new) {
      if (!exchanged_.empty() && exchanged_.count(storage) > 0) arrived_.push_back(number);
      all_.push_back({c10::weak_intrusive_ptr<c10::StorageImpl>(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage))});
    }
    return {number, is_new};
  }

  ska::flat_hash_map<c10::StorageImpl*, int> numbers_;
  std::vector<Memory> all_;
  std::vector<Outside> outside_;
  std::unordered_set<c10::StorageImpl*> exchanged_;
  std::vector<int> arrived_;
  Shapes shapes_;
};

}  // namespace tensordbg_torch
