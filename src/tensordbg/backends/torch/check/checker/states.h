// Tensors whose bad numbers were let pass, by their memory.
#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "tensors.h"

namespace tensordbg_torch {

enum Passed : unsigned {
  kNothing = 0,
  kInfinities = 1,  // they are meant, and what is computed of them may be infinite
  kNan = 2,         // NaN too
  kScaled = 4,      // a loss was scaled up, and whoever scales it looks at the gradients
};

constexpr unsigned kFlags = 15;  // a finding that waits is told by what is above, see `Held`

// The number of a finding that waits for what takes its tensor, which may be no more than a choice; 0 for none.
using Held = unsigned long;

class States {
 public:
  unsigned of(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto found = known_.find(storage_of(tensor));
    return found == known_.end() || found->second.alive.expired() ? kNothing : found->second.passed;
  }

  void let_pass(const at::Tensor& tensor, unsigned passed) {
    if (passed != kNothing) add(tensor, passed, 0);
  }

  // Whether any tensor may be held.
  bool holds() const { return held_.load(std::memory_order_relaxed); }

  Held held(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto found = known_.find(storage_of(tensor));
    return found == known_.end() || found->second.alive.expired() ? 0 : found->second.held;
  }

  // Whether there is a tensor for which a finding waits, but for those that were handed to a node that chooses among their
  // elements.
  bool is_held(Held number, bool but_for_handed) {
    const std::lock_guard<std::mutex> guard(mutex_);
    return std::any_of(known_.begin(), known_.end(), [&](const auto& each) {
      const State& state = each.second;
      return state.held == number && !(but_for_handed && state.handed) && !state.alive.expired();
    });
  }

  // The tensors for which a finding waits go to a node that chooses.
  void hand(Held number) {
    const std::lock_guard<std::mutex> guard(mutex_);
    for (auto& each : known_) each.second.handed = each.second.handed || each.second.held == number;
  }

  std::vector<Held> all_held() {
    const std::lock_guard<std::mutex> guard(mutex_);
    sweep();
    std::vector<Held> numbers;
    for (const auto& each : known_) {
      if (each.second.held != 0) numbers.push_back(each.second.held);
    }
    return numbers;
  }

  void hold(const at::Tensor& tensor, Held number) {
    held_.store(true);
    add(tensor, kNothing, number);
  }

  void let_go(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    known_.erase(storage_of(tensor));
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
    held_.store(false);
  }

 private:
  struct State {
    unsigned passed;
    Held held;
    c10::weak_intrusive_ptr<c10::StorageImpl> alive;
    bool handed = false;
  };

  void add(const at::Tensor& tensor, unsigned passed, Held number) {
    c10::StorageImpl* storage = storage_of(tensor);
    if (storage == nullptr) return;
    const std::lock_guard<std::mutex> guard(mutex_);
    if (known_.size() >= most_) sweep();
    known_.insert_or_assign(storage, State{passed, number, c10::weak_intrusive_ptr<c10::StorageImpl>(
                                                               c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage))});
  }

  void sweep() {
    bool held = false;
    for (auto each = known_.begin(); each != known_.end();) {
      held = held || (each->second.held != 0 && !each->second.alive.expired());
      each = each->second.alive.expired() ? known_.erase(each) : std::next(each);
    }
    held_.store(held);
    most_ = std::max<std::size_t>(kFew, 2 * known_.size());
  }

  static constexpr std::size_t kFew = 256;
  std::atomic<bool> held_{false};
  std::mutex mutex_;
  std::unordered_map<const c10::StorageImpl*, State> known_;
  std::size_t most_ = kFew;
};

}  // namespace tensordbg_torch
