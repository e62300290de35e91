// What several processes compute together, by PyTorch's c10d operations: which of its tensors each puts in and gets out.
//
// What is got out is there only when the operation's work is done, which nobody says; so it is looked at where it is first
// used, since who uses it has waited for it. Until then its memory counts as not written.
#pragma once

#include <pthread.h>

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <c10/util/SmallVector.h>

#if __has_include(<torch/csrc/distributed/c10d/ProcessGroup.hpp>)
#define TENSORDBG_COLLECTIVES 1
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>
#else
#define TENSORDBG_COLLECTIVES 0
#endif

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tensors.h"

namespace tensordbg_torch {

// Whether this thread carries out collective operations: what it computes is how they do it, and none of the program's.
inline bool is_carrying_out() {
  static thread_local const bool known = [] {
    char name[32] = {};
    if (pthread_getname_np(pthread_self(), name, sizeof name) != 0) return false;
    for (const char* each : {"pt_gloo", "pt_mpi", "pt_nccl", "pt_ucc"}) {
      if (std::strncmp(name, each, std::strlen(each)) == 0) return true;
    }
    return false;
  }();
  return known;
}

// Which arguments of an operation hold what.
struct Collective {
  const char* name;
  int gives;       // position of the tensors that hold the result; -1 where it gives nothing
  int takes;       // ... of those that are put in
  int root = -1;   // ... of the number of the process that alone gives, or gets
  int peer = -1;   // ... of the process at the other end
  enum { kAll, kRootGives, kRootGets, kRootHandsOut } who = kAll;
};

inline const Collective* find_collective(const std::string& name) {
  static const Collective known[] = {
      {"allreduce_", 0, 0},
      {"allreduce_coalesced_", 0, 0},
      {"allgather_", 0, 1},
      {"allgather_coalesced_", 0, 1},
      {"_allgather_base_", 0, 1},
      {"allgather_into_tensor_coalesced_", 0, 1},
      {"reduce_scatter_", 0, 1},
      {"_reduce_scatter_base_", 0, 1},
      {"reduce_scatter_tensor_coalesced_", 0, 1},
      {"alltoall_", 0, 1},
      {"alltoall_base_", 0, 1},
      {"broadcast_", 0, 0, 2, -1, Collective::kRootGives},
      {"reduce_", 0, 0, 3, -1, Collective::kRootGets},
      {"gather_", 0, 1, 3, -1, Collective::kRootGets},
      {"scatter_", 0, 1, 3, -1, Collective::kRootHandsOut},
      {"send", -1, 0, -1, 2},
      {"recv_", 0, -1, -1, 2},
      {"recv_any_source_", 0, -1},
  };
  constexpr char kHome[] = "c10d::";
  if (name.compare(0, sizeof kHome - 1, kHome) != 0) return nullptr;
  for (const Collective& each : known) {
    if (std::strcmp(name.c_str() + sizeof kHome - 1, each.name) == 0) return &each;
  }
  return nullptr;
}

// The group of processes that runs it, as this process sees it.
struct Group {
  std::string name;
  int size = -1;
  int rank = -1;
};

inline Group group_of(c10::ArrayRef<c10::IValue> inputs) {
  Group group;
#if TENSORDBG_COLLECTIVES
  for (const c10::IValue& value : inputs) {
    if (!value.isObject()) continue;
    const auto type = value.type()->cast<c10::ClassType>();
    if (!type || !type->name().has_value() || type->name()->name() != "ProcessGroup") continue;
    const auto processes = value.toCustomClass<c10d::ProcessGroup>();
    group.size = processes->getSize();
    group.rank = processes->getRank();
    try {
      group.name = processes->getGroupName();
    } catch (...) {  // nobody named it
    }
  }
#endif
  return group;
}

inline std::int64_t number_at(c10::ArrayRef<c10::IValue> inputs, int position) {
  return position >= 0 && static_cast<std::size_t>(position) < inputs.size() && inputs[position].isInt() ? inputs[position].toInt()
                                                                                                         : -1;
}

// What a process does in one run of a collective operation.
struct Part {
  const Collective* what = nullptr;
  std::string group;  // attributes of the site: name, size, and of two that exchange something from whom to whom
  bool puts_in = true;
  bool gets = true;
};

inline Part part_in(const Collective& what, c10::ArrayRef<c10::IValue> inputs) {
  Part part;
  part.what = &what;
  const Group group = group_of(inputs);
  const std::int64_t root = number_at(inputs, what.root), peer = number_at(inputs, what.peer);
  const bool is_root = root == group.rank;
  part.puts_in = what.takes >= 0 && ((what.who != Collective::kRootGives && what.who != Collective::kRootHandsOut) || is_root);
  part.gets = what.gives >= 0 && (what.who != Collective::kRootGets || is_root);
  part.group = group.name + "\n" + std::to_string(group.size) + "\n";
  if (what.takes < 0 || what.gives < 0) {  // one of two, of whom it may not know the other
    const std::int64_t from = what.gives < 0 ? group.rank : peer, to = what.gives < 0 ? peer : group.rank;
    part.group += std::to_string(from) + ">" + std::to_string(to);
  }
  return part;
}

// One run of a collective operation.
struct Sending {
  std::atomic<bool> begun{false};  // what follows is known
  std::int64_t execution = -1;
  std::uint32_t site = 0;
#if TENSORDBG_COLLECTIVES
  std::optional<c10::weak_intrusive_ptr<c10d::Work>> work;
#endif

  // Work that nobody holds any more is done: what runs it holds it until then.
  bool is_there() const {
    if (!begun.load()) return false;
#if TENSORDBG_COLLECTIVES
    if (!work.has_value()) return true;
    const auto held = work->lock();
    if (!held || held->isCompleted()) return true;
    // Who waits for its future, as DDP does, goes on before the work itself counts as done.
    try {
      const auto future = held->getFuture();
      return future && future->completed();
    } catch (...) {  // it has none
      return false;
    }
#else
    return true;
#endif
  }

  // `returned` is what the operation returned last: its work, if it is any.
  void begin(const c10::IValue* returned) {
#if TENSORDBG_COLLECTIVES
    if (returned != nullptr && returned->isObject()) {
      if (const auto done = returned->toCustomClass<c10d::Work>()) work.emplace(done);
    }
#endif
    begun.store(true);
  }
};

// A tensor that will be written.
struct Arrival {
  std::shared_ptr<Sending> sending;
  std::uint16_t slot = 0;
  std::optional<c10::weak_intrusive_ptr<c10::StorageImpl>> memory;
  c10::SmallVector<std::int64_t, 4> sizes, strides;
  std::int64_t offset = 0;
  caffe2::TypeMeta dtype;
  c10::DispatchKeySet keys;

  // The tensor, made anew over its memory; undefined where that is gone.
  at::Tensor tensor() const {
    auto storage = memory->lock();
    if (!storage) return {};
    at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(std::move(storage)), keys, dtype);
    made.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset);
    return made;
  }
};

inline Arrival arrival_of(const at::Tensor& tensor) {
  Arrival arrival;
  arrival.memory.emplace(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage_of(tensor)));
  arrival.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  arrival.strides.assign(tensor.strides().begin(), tensor.strides().end());
  arrival.offset = tensor.storage_offset();
  arrival.dtype = tensor.dtype();
  arrival.keys = c10::DispatchKeySet(tensor.is_cpu() ? c10::DispatchKey::CPU : c10::DispatchKey::CUDA);
  return arrival;
}

// What is on its way, by memory.
class Arrivals {
 public:
  bool any() const { return count_.load(std::memory_order_relaxed) != 0; }

  void add(Arrival arrival) {
    const std::lock_guard<std::mutex> guard(mutex_);
    sweep();
    const c10::StorageImpl* memory = arrival.memory->_unsafe_get_target();
    waiting_[memory].push_back(std::move(arrival));
    count();
  }

  // Hands to `settle` what has come into a memory, the first first; returns whether something is still on its way there.
  template <typename Settle>
  bool settle(const c10::StorageImpl* memory, Settle settle) {
    std::vector<Arrival> here = take(memory);
    // The lock is not held meanwhile: work may be written in Python, whose own lock another thread may hold.
    bool some = false;
    for (Arrival& each : here) {
      if (each.memory->expired()) continue;
      if (each.sending->is_there()) {
        settle(each);
        continue;
      }
      some = true;
      add(std::move(each));
    }
    return some;
  }

  // ... of all that is on its way.
  template <typename Settle>
  void settle_all(Settle each_settles) {
    std::vector<const c10::StorageImpl*> all;
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      for (const auto& [memory, _] : waiting_) all.push_back(memory);
    }
    for (const c10::StorageImpl* memory : all) settle(memory, each_settles);
  }

  void clear() {
    const std::lock_guard<std::mutex> guard(mutex_);
    waiting_.clear();
    count();
  }

 private:
  std::vector<Arrival> take(const c10::StorageImpl* memory) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto found = waiting_.find(memory);
    if (found == waiting_.end()) return {};
    std::vector<Arrival> taken = std::move(found->second);
    waiting_.erase(found);
    count();
    return taken;
  }

  // What was never used and is gone.
  void sweep() {
    if (waiting_.size() < most_) return;
    for (auto each = waiting_.begin(); each != waiting_.end();) {
      each = each->second.empty() || each->second.front().memory->expired() ? waiting_.erase(each) : std::next(each);
    }
    most_ = std::max<std::size_t>(64, 2 * waiting_.size());
  }

  void count() { count_.store(waiting_.size(), std::memory_order_relaxed); }

  std::mutex mutex_;
  std::atomic<std::size_t> count_{0};
  std::size_t most_ = 64;
  std::unordered_map<const c10::StorageImpl*, std::vector<Arrival>> waiting_;
};

}  // namespace tensordbg_torch
