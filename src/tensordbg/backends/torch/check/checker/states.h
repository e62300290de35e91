// Tensors whose bad numbers were let pass, by their memory.
#pragma once

#include <ATen/ATen.h>

#include <mutex>
#include <unordered_map>

#include "tensors.h"

namespace tensordbg_torch {

enum Passed : unsigned {
  kNothing = 0,
  kInfinities = 1,  // they are meant, and what is computed of them may be infinite
  kNan = 2,         // NaN too
  kScaled = 4,      // a loss was scaled up, and whoever scales it looks at the gradients
};

class States {
 public:
  unsigned of(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto found = known_.find(storage_of(tensor));
    return found == known_.end() || found->second.alive.expired() ? kNothing : found->second.passed;
  }

  void let_pass(const at::Tensor& tensor, unsigned passed) {
    c10::StorageImpl* storage = storage_of(tensor);
    if (storage == nullptr || passed == kNothing) return;
    const std::lock_guard<std::mutex> guard(mutex_);
    if (known_.size() >= most_) sweep();
    known_.insert_or_assign(storage, State{passed, c10::weak_intrusive_ptr<c10::StorageImpl>(
                                                       c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage))});
  }

  void forget_scaled() {
    const std::lock_guard<std::mutex> guard(mutex_);
    for (auto each = known_.begin(); each != known_.end();) {
      each = (each->second.passed & kScaled) != 0 ? known_.erase(each) : std::next(each);
    }
  }

  void clear() {
    const std::lock_guard<std::mutex> guard(mutex_);
    known_.clear();
  }

 private:
  struct State {
    unsigned passed;
    c10::weak_intrusive_ptr<c10::StorageImpl> alive;
  };

  void sweep() {
    for (auto each = known_.begin(); each != known_.end();) {
      each = each->second.alive.expired() ? known_.erase(each) : std::next(each);
    }
    most_ = std::max<std::size_t>(kFew, 2 * known_.size());
  }

  static constexpr std::size_t kFew = 256;
  std::mutex mutex_;
  std::unordered_map<const c10::StorageImpl*, State> known_;
  std::size_t most_ = kFew;
};

}  // namespace tensordbg_torch
