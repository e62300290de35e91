// Who made which tensor, and who wrote last into which memory.
//
// A tensor is known by its address, which a weak pointer keeps from being used again, and by its version: a write through
// another view raises that. What nobody has written yet (`empty`) is known by its memory.
#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "tensors.h"

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
};

class Makers {
 public:
  Known find(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const Made* made = made_of(tensor);
    if (made != nullptr && made->version == version_of(tensor)) return known(made->maker);
    const Memory* memory = memory_of(tensor);
    if (memory == nullptr) return {kUnknown, kUnknown, true};
    if (!memory->written) return unwritten();
    if (made == nullptr) return known(memory->writer);
    if (memory->writer.order > made->maker.order) {
      return {memory->writer.reference, made->maker.reference, false, memory->writer.site, memory->writer.bad};
    }
    return {kUnknown, kUnknown, true};
  }

  // Who made it, if it is as that one left it.
  bool maker(const at::Tensor& tensor, Maker* found) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const Made* made = made_of(tensor);
    if (made == nullptr || made->version != version_of(tensor)) return false;
    *found = made->maker;
    return true;
  }

  void made(const at::Tensor& tensor, Maker maker) {
    const std::lock_guard<std::mutex> guard(mutex_);
    maker.order = ++order_;
    remember(tensor, maker);
    if (c10::StorageImpl* storage = storage_of(tensor)) keep(storage).writer = maker, keep(storage).written = true;
  }

  // From now on a tensor's memory is a variable's.
  void is_variable(const at::Tensor& tensor, std::int64_t variable) {
    const std::lock_guard<std::mutex> guard(mutex_);
    c10::StorageImpl* storage = storage_of(tensor);
    if (storage == nullptr || tensor.numel() == 0) return;
    variables_.insert_or_assign(
        tensor.const_data_ptr(),
        Variable{variable, tensor.numel(),
                 c10::weak_intrusive_ptr<c10::StorageImpl>(c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage))});
    sweep(&variables_, &most_variables_);
  }

  // The variable that a tensor is, whatever object stands for it.
  std::int64_t variable_of(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    c10::StorageImpl* storage = storage_of(tensor);
    if (variables_.empty() || storage == nullptr || tensor.numel() == 0) return kNobody;
    const auto found = variables_.find(tensor.const_data_ptr());
    if (found == variables_.end() || found->second.size != tensor.numel()) return kNobody;
    return found->second.alive._unsafe_get_target() == storage && !found->second.alive.expired() ? found->second.number
                                                                                                 : kNobody;
  }

  // Says whose gradient a tensor is, and returns what made it.
  Maker own(const at::Tensor& tensor, std::int64_t variable) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto memory = memory_.find(storage_of(tensor));
    const bool written = memory != memory_.end() && memory->second.written && !memory->second.alive.expired();
    const auto found = made_.find(tensor.unsafeGetTensorImpl());
    const bool known = found != made_.end() && !found->second.alive.expired();
    if (!known && !written) return {};
    Maker maker = known ? found->second.maker : memory->second.writer;
    maker.owner = variable;
    // A view that is all of its memory stands for what wrote there.
    const bool whole = written && tensor.storage().nbytes() == static_cast<std::size_t>(tensor.numel()) * tensor.itemsize();
    if (whole && memory->second.writer.reference == maker.reference) memory->second.writer.owner = variable;
    if (known) found->second.maker.owner = variable;
    else remember(tensor, maker);
    return maker;
  }

  // It shows what another tensor's maker made.
  void is_view(const at::Tensor& tensor, const Known& of) {
    const std::lock_guard<std::mutex> guard(mutex_);
    remember(tensor, Maker{of.reference, of.site, ++order_, of.bad, of.owner});
  }

  // Its memory holds whatever was there before.
  void is_unwritten(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    made_.erase(tensor.unsafeGetTensorImpl());
    if (c10::StorageImpl* storage = storage_of(tensor)) keep(storage).written = false;
  }

  // It has other memory than before.
  void rebind(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    made_.erase(tensor.unsafeGetTensorImpl());
  }

  // Somebody writes into it who is not seen: it counts as coming from outside when it is used next.
  void forget(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    made_.erase(tensor.unsafeGetTensorImpl());
    if (c10::StorageImpl* storage = storage_of(tensor)) memory_.erase(storage);
  }

  // References to what is known not to be finite and is still there.
  std::vector<std::int64_t> bad_alive() {
    const std::lock_guard<std::mutex> guard(mutex_);
    std::vector<std::int64_t> found;
    for (const auto& [address, made] : made_) {
      if (made.maker.bad && made.maker.reference != kUnknown && !made.alive.expired()) found.push_back(made.maker.reference);
    }
    return found;
  }

  std::uint64_t order() const { return order_.load(std::memory_order_relaxed); }

  void clear() {
    const std::lock_guard<std::mutex> guard(mutex_);
    made_.clear();
    memory_.clear();
    variables_.clear();
  }

 private:
  struct Made {
    Maker maker;
    std::uint32_t version;
    c10::weak_intrusive_ptr<c10::TensorImpl> alive;
  };
  struct Memory {
    Maker writer;
    bool written;
    c10::weak_intrusive_ptr<c10::StorageImpl> alive;
  };

  struct Variable {
    std::int64_t number;
    std::int64_t size;
    c10::weak_intrusive_ptr<c10::StorageImpl> alive;
  };

  static Known unwritten() {
    Known known;
    known.unwritten = true;
    return known;
  }

  static Known known(const Maker& maker) {
    return {maker.reference, kUnknown, false, maker.site, maker.bad, false, maker.owner};
  }

  const Made* made_of(const at::Tensor& tensor) {
    const auto found = made_.find(tensor.unsafeGetTensorImpl());
    return found == made_.end() || found->second.alive.expired() ? nullptr : &found->second;
  }

  const Memory* memory_of(const at::Tensor& tensor) {
    const auto found = memory_.find(storage_of(tensor));
    return found == memory_.end() || found->second.alive.expired() ? nullptr : &found->second;
  }

  void remember(const at::Tensor& tensor, const Maker& maker) {
    const auto found = made_.find(tensor.unsafeGetTensorImpl());
    if (found != made_.end()) {  // its address is pinned, so it is the same tensor
      found->second.maker = maker;
      found->second.version = version_of(tensor);
      return;
    }
    made_.emplace(tensor.unsafeGetTensorImpl(),
                  Made{maker, version_of(tensor), c10::weak_intrusive_ptr<c10::TensorImpl>(tensor.getIntrusivePtr())});
    sweep(&made_, &most_made_);
  }

  Memory& keep(c10::StorageImpl* storage) {
    const auto found = memory_.find(storage);
    if (found != memory_.end()) return found->second;
    sweep(&memory_, &most_memory_);
    return memory_
        .emplace(storage, Memory{Maker{}, false,
                                 c10::weak_intrusive_ptr<c10::StorageImpl>(
                                     c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage))})
        .first->second;
  }

  template <typename Map>
  static void sweep(Map* map, std::size_t* most) {
    if (map->size() < *most) return;
    for (auto each = map->begin(); each != map->end();) {
      each = each->second.alive.expired() ? map->erase(each) : std::next(each);
    }
    *most = std::max<std::size_t>(kFew, 2 * map->size());
  }

  // A tensor that was freed leaves its head behind as long as it is pinned. With many of these between the program's own
  // blocks of memory its allocator can't join them, and takes new pages from the system for each step.
  static constexpr std::size_t kFew = 512;

  std::mutex mutex_;
  std::atomic<std::uint64_t> order_{0};
  std::unordered_map<const c10::TensorImpl*, Made> made_;
  std::unordered_map<const c10::StorageImpl*, Memory> memory_;
  std::unordered_map<const void*, Variable> variables_;  // by where their elements begin
  std::size_t most_made_ = kFew;
  std::size_t most_memory_ = kFew;
  std::size_t most_variables_ = kFew;
};

}  // namespace tensordbg_torch
