// Operations that raised, with what they were given: the last few of this process, for the end of the program.
//
// An operation that ends while an exception is on its way has raised, or one within it has, which ends first. Most
// exceptions are caught, so no more than this is noted of them. Views leave no events; so that a shape can be followed
// through them, each thread knows the last ones that it made.
#pragma once

#include <ATen/ATen.h>
#include <c10/util/SmallVector.h>

#include <array>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "makers.h"
#include "tensors.h"

namespace tensordbg_torch {

// A tensor as an operation was given it, or as a view was made of it.
struct Shown {
  std::string dtype;
  std::vector<std::int64_t> sizes;
  bool is_nested = false;
  bool is_meta = false;
};

// A step back from a tensor that is a view.
struct ViewStep {
  std::int64_t site = -1;
  Shown of;
};

struct Refused {
  std::int64_t reference = kUnknown;
  Shown shown;
  std::vector<ViewStep> views;  // the last one first
  std::int64_t address = 0;     // of its first element, 0 where that is not known
};

struct Failure {
  std::int64_t site = -1;
  std::int64_t step = -1;
  std::vector<Refused> given;
};

inline Shown shown(const at::Tensor& tensor) {
  Shown found{c10::toString(tensor.scalar_type()), {}, tensor.is_nested(), tensor.is_meta()};
  if (!found.is_nested) found.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  return found;
}

inline std::int64_t address(const at::Tensor& tensor) {
  if (!tensor.has_storage() || tensor.is_meta()) return 0;
  const auto* begin = static_cast<const char*>(tensor.storage().data());
  if (begin == nullptr) return 0;
  return reinterpret_cast<std::intptr_t>(begin + tensor.storage_offset() * static_cast<std::int64_t>(tensor.itemsize()));
}

// Keeps no elements alive, but says whether the tensor is still there.
using Weak = c10::weak_intrusive_ptr<c10::TensorImpl>;

class Views {
 public:
  void made(const at::Tensor& view, const at::Tensor& of, std::int64_t site) {
    Entry& entry = entries_[next_++ % kMost];
    entry.alive.emplace(view.getIntrusivePtr());
    entry.order = next_;
    entry.view = view.unsafeGetTensorImpl();
    entry.of = of.unsafeGetTensorImpl();
    entry.site = site;
    entry.dtype = of.scalar_type();
    entry.sizes.assign(of.sizes().begin(), of.sizes().end());
  }

  std::vector<ViewStep> behind(const c10::TensorImpl* tensor) const {
    std::vector<ViewStep> found;
    std::uint64_t before = next_ + 1;
    for (const Entry* entry = find(tensor, before); entry != nullptr && found.size() < kFarthest; entry = find(tensor, before)) {
      found.push_back({entry->site, {c10::toString(entry->dtype), {entry->sizes.begin(), entry->sizes.end()}}});
      tensor = entry->of;
      before = entry->order;
    }
    return found;
  }

 private:
  struct Entry {
    std::optional<Weak> alive;  // pins the address
    std::uint64_t order = 0;
    const c10::TensorImpl* view = nullptr;
    const c10::TensorImpl* of = nullptr;
    std::int64_t site = -1;
    at::ScalarType dtype = at::kFloat;
    c10::SmallVector<std::int64_t, 4> sizes;
  };

  const Entry* find(const c10::TensorImpl* tensor, std::uint64_t before) const {
    const Entry* found = nullptr;
    for (const Entry& entry : entries_) {
      if (entry.view == tensor && entry.order != 0 && entry.order < before && (found == nullptr || entry.order > found->order)) {
        found = &entry;
      }
    }
    return found;
  }

  static constexpr std::size_t kMost = 128;
  static constexpr std::size_t kFarthest = 16;
  std::array<Entry, kMost> entries_;
  std::uint64_t next_ = 0;
};

class Failures {
 public:
  void add(Failure failure) {
    const std::lock_guard<std::mutex> guard(mutex_);
    last_.push_front(std::move(failure));
    if (last_.size() > kMost) last_.pop_back();
  }

  // The last one first.
  std::vector<Failure> all() {
    const std::lock_guard<std::mutex> guard(mutex_);
    return {last_.begin(), last_.end()};
  }

  void clear() {
    const std::lock_guard<std::mutex> guard(mutex_);
    last_.clear();
  }

 private:
  static constexpr std::size_t kMost = 16;
  std::mutex mutex_;
  std::deque<Failure> last_;
};

// Whether an exception is on its way that was not when something began.
inline bool raises(int before) { return std::uncaught_exceptions() > before; }

}  // namespace tensordbg_torch
