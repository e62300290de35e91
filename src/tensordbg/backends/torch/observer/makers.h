// Who made which tensor, and who wrote last into which memory.
//
// A tensor is known by its address, which a weak pointer keeps from being used again, and by its version: a write through
// another view raises that. What nobody has written yet (`empty`) is known by its memory, and so is what many have written,
// each a part of it.
#pragma once

#include <ATen/ATen.h>
#include <c10/util/flat_hash_map.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "maker.h"
#include "shared_memory.h"
#include "tensors.h"

namespace tensordbg_torch {

class Makers {
 public:
  Known find(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const Made* made = made_of(tensor);
    const bool same = made != nullptr && made->is_of(tensor);
    if (same && !any_uncounted_) return known(made->maker);
    Memory* memory = memory_of(tensor);
    if (memory != nullptr && memory->shared) look_again(memory, tensor);
    if (memory != nullptr && memory->outside > std::max(memory->whole.order, made == nullptr ? 0 : made->maker.order)) {
      return {kUnknown, kUnknown, true};
    }
    if (same && (memory == nullptr || memory->uncounted <= made->maker.order)) return known(made->maker);
    if (memory == nullptr) return {kUnknown, kUnknown, true};
    // With other memory (`p.data = x`) it is what wrote there, not what made it.
    return by_memory(tensor, *memory, made != nullptr && made->storage == storage_of(tensor) ? made : nullptr);
  }

  // Who made it, if it is as that one left it.
  bool maker(const at::Tensor& tensor, Maker* found) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const Made* made = made_of(tensor);
    if (made == nullptr || !made->is_of(tensor)) return false;
    *found = made->maker;
    return true;
  }

  void made(const at::Tensor& tensor, Maker maker) {
    const std::lock_guard<std::mutex> guard(mutex_);
    maker.order = ++order_;
    const bool apart = counts_apart(tensor);
    remember(tensor, maker);
    Memory* memory = write(tensor, maker);
    if (memory == nullptr) return;
    any_uncounted_ = any_uncounted_ || apart;
    memory->apart = memory->apart || apart;
    if (memory->apart) memory->uncounted = maker.order;
  }

  // Something has written it whose write PyTorch counts later: it is known by its memory alone.
  void made_in_memory(const at::Tensor& tensor, Maker maker) {
    const std::lock_guard<std::mutex> guard(mutex_);
    maker.order = ++order_;
    made_.erase(tensor.unsafeGetTensorImpl());
    write(tensor, maker);
  }

  // Something writes it that PyTorch doesn't count as a write: what was known of it, by whatever view, holds no more.
  void made_uncounted(const at::Tensor& tensor, Maker maker) {
    const std::lock_guard<std::mutex> guard(mutex_);
    maker.order = ++order_;
    any_uncounted_ = true;
    if (Memory* memory = write(tensor, maker)) memory->uncounted = maker.order;
  }

  // From now on the program can write its memory past all operations; what it holds is held against what it held before.
  void share(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    c10::StorageImpl* storage = storage_of(tensor);
    if (storage == nullptr) return;
    Memory& memory = keep(storage);
    if (!memory.shared) memory.print = fingerprint(*storage);
    any_uncounted_ = memory.shared = true;
  }

  // It will be written at some time, and has nothing to say until then.
  void awaits(const at::Tensor& tensor) { made_uncounted(tensor, Maker{}); }

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
    const bool alive = memory != memory_.end() && !memory->second.alive.expired();
    const auto found = made_.find(tensor.unsafeGetTensorImpl());
    const bool known = found != made_.end() && !found->second.alive.expired();
    Maker maker;
    if (known) maker = found->second.maker;
    else if (alive) maker = last_writer(tensor, memory->second);
    if (maker.reference == kUnknown) return {};
    maker.owner = variable;
    if (alive) {
      for (Piece& piece : memory->second.pieces) {
        if (piece.maker.reference == maker.reference) piece.maker.owner = variable;
      }
      // A view that is all of its memory stands for what wrote there.
      if (is_whole(tensor) && memory->second.whole.reference == maker.reference) memory->second.whole.owner = variable;
    }
    if (known) found->second.maker.owner = variable;
    else remember(tensor, maker);
    return maker;
  }

  // It shows what another tensor's maker made.
  void is_view(const at::Tensor& tensor, const Known& of) {
    const std::lock_guard<std::mutex> guard(mutex_);
    // What was written by parts is looked up by the part that it shows.
    if (const Memory* memory = memory_of(tensor); memory != nullptr && !memory->pieces.empty()) return;
    remember(tensor, Maker{of.reference, of.site, ++order_, of.bad, of.owner});
  }

  // Its memory holds whatever was there before.
  void is_unwritten(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    made_.erase(tensor.unsafeGetTensorImpl());
    if (c10::StorageImpl* storage = storage_of(tensor)) {
      Memory& memory = keep(storage);
      memory.whole = Maker{};
      memory.unwritten = true;
      memory.pieces.clear();
    }
  }

  // It has other memory than before.
  void rebind(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    made_.erase(tensor.unsafeGetTensorImpl());
  }

  // Somebody has written its memory who was not seen: it counts as coming from outside when it is used next.
  void forget(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    made_.erase(tensor.unsafeGetTensorImpl());
    if (c10::StorageImpl* storage = storage_of(tensor)) memory_.erase(storage);
  }

  // References to what is not finite and is still there; `is_bad` says it of a reference, a site, and what is known of it here.
  template <typename IsBad>
  std::vector<std::int64_t> bad_alive(IsBad is_bad) {
    const std::lock_guard<std::mutex> guard(mutex_);
    std::vector<std::int64_t> found;
    for (const auto& [address, made] : made_) {
      const Maker& maker = made.maker;
      if (maker.reference == kUnknown || made.alive.expired()) continue;
      if (is_bad(maker.reference, maker.site, maker.bad)) found.push_back(maker.reference);
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
    const c10::StorageImpl* storage;
    c10::weak_intrusive_ptr<c10::TensorImpl> alive;

    // Whether the tensor is as it was made: nothing has written it, and it has the same memory.
    bool is_of(const at::Tensor& tensor) const { return version == version_of(tensor) && storage == storage_of(tensor); }
  };
  struct Piece {
    std::int64_t begin, end;  // bytes
    Maker maker;              // whose reference is unknown as long as what is written has not come
  };
  struct Memory {
    c10::weak_intrusive_ptr<c10::StorageImpl> alive;
    Maker whole{};               // who wrote all of it last
    bool unwritten = false;      // what nobody wrote since is what was there before
    std::uint64_t uncounted = 0; // the order of the last write that PyTorch's count of versions leaves out
    bool shared = false;         // the program can write it past all operations
    std::uint64_t print = 0;     // of what a shared one holds
    std::uint64_t outside = 0;   // when it was found that the program had done that
    bool apart = false;          // something that counts its own writes alone, as `x.data` does, writes it
    std::vector<Piece> pieces{}; // who has written parts of it since, in that order
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

  struct Range {
    std::int64_t begin, end;
    bool meets(const Piece& piece) const { return piece.begin < end && begin < piece.end; }
    bool holds(const Piece& piece) const { return begin <= piece.begin && piece.end <= end; }
  };

  static Range range_of(const at::Tensor& tensor) {
    const auto size = static_cast<std::int64_t>(tensor.itemsize());
    std::int64_t last = 0;
    if (tensor.layout() == at::kStrided) {
      for (std::int64_t axis = 0; axis < tensor.dim(); ++axis) last += (tensor.size(axis) - 1) * tensor.stride(axis);
    }
    const std::int64_t begin = tensor.storage_offset() * size;
    return {begin, tensor.numel() == 0 ? begin : begin + (last + 1) * size};
  }

  static bool is_whole(const at::Tensor& tensor) {
    return tensor.storage().nbytes() <= static_cast<std::size_t>(tensor.numel()) * tensor.itemsize();
  }

  Memory* write(const at::Tensor& tensor, const Maker& maker) {
    c10::StorageImpl* storage = storage_of(tensor);
    if (storage == nullptr) return nullptr;
    Memory& memory = keep(storage);
    if (memory.shared) memory.print = fingerprint(*storage);
    if (is_whole(tensor)) {
      memory.whole = maker;
      memory.unwritten = false;
      memory.pieces.clear();
      return &memory;
    }
    const Range range = range_of(tensor);
    auto& pieces = memory.pieces;
    if (tensor.is_non_overlapping_and_dense()) {
      pieces.erase(std::remove_if(pieces.begin(), pieces.end(), [&](const Piece& piece) { return range.holds(piece); }),
                   pieces.end());
    }
    if (pieces.size() >= kMostPieces) pieces.erase(pieces.begin());
    pieces.push_back({range.begin, range.end, maker});
    return &memory;
  }

  // What is known of a tensor by who wrote its memory since it was made itself.
  static Known by_memory(const at::Tensor& tensor, const Memory& memory, const Made* made) {
    const Range range = range_of(tensor);
    const std::uint64_t since = made == nullptr ? 0 : made->maker.order;
    Known found;
    bool any = false, elsewhere = memory.whole.order > since;
    std::int64_t covered = 0;
    for (auto piece = memory.pieces.rbegin(); piece != memory.pieces.rend(); ++piece) {
      if (piece->maker.order <= since) continue;
      elsewhere = true;
      if (!range.meets(*piece)) continue;
      if (piece->maker.reference == kUnknown) return unwritten();
      covered += std::min(range.end, piece->end) - std::max(range.begin, piece->begin);
      if (any) {
        found.more.push_back(piece->maker.reference);
        found.bad = found.bad || piece->maker.bad;
      } else {
        found = known(piece->maker);
        any = true;
      }
    }
    if (memory.whole.order > since) {
      if (memory.whole.reference == kUnknown) return any ? found : unwritten();
      if (!any) {
        found = known(memory.whole);
        if (made != nullptr) found.before = made->maker.reference;
      } else if (covered < range.end - range.begin) {
        found.before = memory.whole.reference;
      }
      return found;
    }
    if (made != nullptr) {
      if (any) found.before = made->maker.reference;
      else if (elsewhere) found = known(made->maker);  // its own part is as it was
      else return {kUnknown, kUnknown, true};
      return found;
    }
    if (any) return found;
    return memory.unwritten ? unwritten() : Known{kUnknown, kUnknown, true};
  }

  static Maker last_writer(const at::Tensor& tensor, const Memory& memory) {
    const Range range = range_of(tensor);
    for (auto piece = memory.pieces.rbegin(); piece != memory.pieces.rend(); ++piece) {
      if (range.meets(*piece)) return piece->maker;
    }
    return memory.whole;
  }

  // Whether a tensor may have a count of versions of its own, though others have written its memory: `x.data` has one.
  bool counts_apart(const at::Tensor& tensor) {
    if (made_of(tensor) != nullptr) return false;
    const Memory* memory = memory_of(tensor);
    return memory != nullptr && (memory->whole.reference != kUnknown || !memory->pieces.empty());
  }

  const Made* made_of(const at::Tensor& tensor) {
    const auto found = made_.find(tensor.unsafeGetTensorImpl());
    return found == made_.end() || found->second.alive.expired() ? nullptr : &found->second;
  }

  void look_again(Memory* memory, const at::Tensor& tensor) {
    const std::uint64_t print = fingerprint(*storage_of(tensor));
    if (print == memory->print) return;
    memory->print = print;
    memory->outside = memory->uncounted = ++order_;
  }

  Memory* memory_of(const at::Tensor& tensor) {
    const auto found = memory_.find(storage_of(tensor));
    return found == memory_.end() || found->second.alive.expired() ? nullptr : &found->second;
  }

  void remember(const at::Tensor& tensor, const Maker& maker) {
    const auto found = made_.find(tensor.unsafeGetTensorImpl());
    if (found != made_.end()) {  // its address is pinned, so it is the same tensor
      found->second.maker = maker;
      found->second.version = version_of(tensor);
      found->second.storage = storage_of(tensor);
      return;
    }
    made_.emplace(tensor.unsafeGetTensorImpl(),
                  Made{maker, version_of(tensor), storage_of(tensor), c10::weak_intrusive_ptr<c10::TensorImpl>(tensor.getIntrusivePtr())});
    sweep(&made_, &most_made_);
  }

  Memory& keep(c10::StorageImpl* storage) {
    const auto found = memory_.find(storage);
    if (found != memory_.end()) return found->second;
    sweep(&memory_, &most_memory_);
    return memory_
        .emplace(storage, Memory{c10::weak_intrusive_ptr<c10::StorageImpl>(
                              c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(storage))})
        .first->second;
  }

  template <typename Map>
  static void sweep(Map* map, std::size_t* most) {
    if (map->size() < *most) return;
    for (auto each = map->begin(); each != map->end();) {
      each = each->second.alive.expired() ? map->erase(each) : std::next(each);
    }
    *most = map->size() + std::max<std::size_t>(kFew, map->size() / 4);
  }

  // A tensor that was freed leaves its head behind as long as it is pinned. With many of these between the program's own
  // blocks of memory its allocator can't join them, and takes new pages from the system for each step.
  static constexpr std::size_t kFew = 128;
  static constexpr std::size_t kMostPieces = 512;

  std::mutex mutex_;
  std::atomic<std::uint64_t> order_{0};
  bool any_uncounted_ = false;
  ska::flat_hash_map<const c10::TensorImpl*, Made> made_;
  ska::flat_hash_map<const c10::StorageImpl*, Memory> memory_;
  ska::flat_hash_map<const void*, Variable> variables_;  // by where their elements begin
  std::size_t most_made_ = kFew;
  std::size_t most_memory_ = kFew;
  std::size_t most_variables_ = kFew;
};

}  // namespace tensordbg_torch
