// Gradients that are bad and go to nodes of autograd that choose among elements, as that of `relu` does: it puts zeros
// where `sqrt(relu(x))` has an infinite slope.
#pragma once

#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "operations.h"
#include "states.h"

namespace tensordbg_torch {

// Whether a node of autograd, by its name as `ReluBackward0`, puts zeros in the place of some elements of what it is given.
inline bool chooses_gradients(const std::string& name) {
  const auto end = name.find_last_not_of("0123456789");
  if (end == std::string::npos || end + 1 == name.size()) return false;
  return is_among(name.substr(0, end + 1),
                  {"ReluBackward", "ThresholdBackward", "HardtanhBackward", "ClampBackward", "ClampMinBackward",
                   "ClampMaxBackward", "WhereBackward", "MaskedFillBackward", "MaximumBackward", "MinimumBackward",
                   "FmaxBackward", "FminBackward"});
}

// The findings that wait for a node that has not run yet.
class HandedOn {
 public:
  // Has a finding wait for the nodes to which the one that runs hands its gradients. Returns whether it does: on each way to
  // a leaf must stand one that chooses.
  bool wait(Held number) {
    const auto node = torch::autograd::get_current_node();
    if (!node || !each_way_chooses(&*node)) return false;
    const std::lock_guard<std::mutex> guard(mutex_);
    for (const auto& edge : node->next_edges()) {
      if (edge.is_valid()) waiting_[&*edge.function].push_back(number);
    }
    any_.store(true);
    return true;
  }

  // The findings that wait for the node that begins to run.
  std::vector<Held> take() {
    if (!any_.load(std::memory_order_relaxed)) return {};
    const auto node = torch::autograd::get_current_node();
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto found = node ? waiting_.find(&*node) : waiting_.end();
    if (found == waiting_.end()) return {};
    std::vector<Held> numbers = std::move(found->second);
    waiting_.erase(found);
    any_.store(!waiting_.empty());
    return numbers;
  }

  void clear() {
    const std::lock_guard<std::mutex> guard(mutex_);
    waiting_.clear();
    any_.store(false);
  }

 private:
  static constexpr std::size_t kMost = 64;  // nodes that are looked at

  static bool each_way_chooses(const torch::autograd::Node* from) {
    std::unordered_set<const torch::autograd::Node*> seen;
    std::vector<const torch::autograd::Node*> waiting{from};
    while (!waiting.empty()) {
      const torch::autograd::Node* node = waiting.back();
      waiting.pop_back();
      bool ends = true;
      for (const auto& edge : node->next_edges()) {
        if (!edge.is_valid()) continue;
        ends = false;
        const torch::autograd::Node* next = &*edge.function;
        if (!chooses_gradients(next->name()) && seen.insert(next).second) waiting.push_back(next);
      }
      if (ends || seen.size() > kMost) return false;
    }
    return true;
  }

  std::atomic<bool> any_{false};
  std::mutex mutex_;
  std::unordered_map<const torch::autograd::Node*, std::vector<Held>> waiting_;
};

}  // namespace tensordbg_torch
