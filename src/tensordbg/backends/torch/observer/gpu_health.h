// Measures tensors on NVIDIA's GPUs where they lie, without waiting for the GPU.
//
// Behind each operation the kernel of gpu_kernel.cu is launched on the operation's own stream, so that it runs before anything
// overwrites the tensor. It writes what it found into memory of this process, in a place of a ring; `settle` looks there, and
// hands on what has come in the order in which it was asked for.
#pragma once

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "asked.h"
#include "gpu_device.h"
#include "log_table.h"
#include "tensors.h"

namespace tensordbg_torch {

class GpuHealth {
 public:
  // Begins with the kernels for each GPU, as NVRTC has made them; `kind` is the kind of device on which tensors are measured.
  bool start(std::vector<std::string> images, c10::DeviceType kind) {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (!opened_) {
      opened_ = driver_.open();
      // A process that is forked has no GPU, and not the memory into which one writes.
      if (opened_) pthread_atfork(nullptr, nullptr, [] { forked_.store(true); });
    }
    if (images_ != images) devices_.clear();  // what was loaded stays: the process ends soon
    images_ = std::move(images);
    kind_ = kind;
    broken_ = false;
    captured_.store(false);
    on_.store(opened_ && !images_.empty() && !forked_);
    return on_.load();
  }

  void stop() { on_.store(false); }

  bool is_on() const { return on_.load(std::memory_order_relaxed) && !forked_.load(std::memory_order_relaxed); }

  // Whether the elements of a tensor can be measured where they lie.
  bool measures(const at::Tensor& tensor) const {
    return is_on() && tensor.device().type() == kind_ && is_plain_memory(tensor) && tensor.numel() > 0 &&
           dtype_number(tensor.scalar_type()) != 0;
  }

  // Whether a tensor was met that is captured into a graph.
  bool has_captured() const { return captured_.load(std::memory_order_relaxed); }

  bool any() const { return waiting_.load(std::memory_order_relaxed) != 0 && !forked_.load(std::memory_order_relaxed); }

  // Has a tensor measured, for which an event then is handed on; false where that can't be done.
  template <typename Record>
  bool ask(const at::Tensor& tensor, const TensordbgTensor& event, Sources sources, Record record) {
    const std::lock_guard<std::mutex> guard(mutex_);
    hand_on(record);
    while (taken() == kPlaces) wait_for_first(record);
    if (!launch(tensor, event)) return false;
    places_[(next_ - 1) % kPlaces].asked.sources = std::move(sources);
    return true;
  }

  // The same of many, which are on one device, in few launches.
  template <typename Record>
  void ask_for_all(std::vector<Wish> wishes, Record record) {
    std::size_t begin = 0;
    while (begin < wishes.size()) {
      std::size_t end = begin;
      const int dtype = wishes[begin].event.dtype;
      while (end < wishes.size() && end < begin + kMany && wishes[end].event.dtype == dtype && lies_in_row(wishes[end].tensor)) ++end;
      const bool many = end > begin + 1 && is_measured_with_others(dtype) && ask_for(&wishes[begin], end - begin, record);
      if (many) {
        begin = end;
        continue;
      }
      for (end = std::max(end, begin + 1); begin < end; ++begin) {
        Wish& wish = wishes[begin];
        if (ask(wish.tensor, wish.event, std::move(wish.sources), record)) continue;
        Asked asked;
        asked.event = wish.event;
        asked.refused = true;
        record(asked);
      }
    }
  }

  // Hands on what has come to `record`, which is given what was asked.
  template <typename Record>
  void settle(Record record) {
    if (!any()) return;
    const std::lock_guard<std::mutex> guard(mutex_);
    hand_on(record);
  }

  // ... and waits for what has not come yet.
  template <typename Record>
  void settle_all(Record record) {
    if (!any()) return;
    const std::lock_guard<std::mutex> guard(mutex_);
    while (taken() > 0) wait_for_first(record);
  }

 private:
  static constexpr std::size_t kPlaces = Device::kPlaces;
  struct Place {
    Asked asked;
    Device* device = nullptr;
    Driver::Handle stream = nullptr;
  };

  std::size_t taken() const { return static_cast<std::size_t>(next_ - first_); }

  void count() { waiting_.store(taken(), std::memory_order_relaxed); }

  bool has_come(std::uint64_t number) {
    const Place& place = places_[number % kPlaces];
    return __atomic_load_n(&place.device->results[number % kPlaces].done, __ATOMIC_ACQUIRE) == number + 1;
  }

  template <typename Record>
  void hand_on(Record record) {
    while (first_ < next_ && has_come(first_)) hand_on_first(record, true);
  }

  template <typename Record>
  void hand_on_first(Record record, bool measured) {
    Place& place = places_[first_ % kPlaces];
    Asked& asked = place.asked;
    const Result& result = place.device->results[first_ % kPlaces];
    asked.event.dims = asked.dims.data();
    asked.event.strides = asked.strides.empty() ? nullptr : asked.strides.data();
    if (measured) {
      asked.event.health = &result.health;
      const std::int64_t size = c10::multiply_integers(asked.dims) * item_size(asked.event.dtype);
      asked.event.small = size <= static_cast<std::int64_t>(sizeof result.small) ? result.small : nullptr;
    }
    ++first_;
    count();
    record(asked);
    asked.sources.clear();
  }

  // Waits until the first one has come, or never will.
  template <typename Record>
  void wait_for_first(Record record) {
    for (int looked = 0; !has_come(first_); ++looked) {
      if (looked < 2000) continue;
      const Driver::Code code = state_of(places_[first_ % kPlaces].stream);
      const bool ended = code == Driver::kSuccess;
      if (!broken_ && (code == Driver::kNotReady || (ended && looked < 4000))) {
        std::this_thread::sleep_for(std::chrono::microseconds(looked < 4000 ? 5 : 50));
        continue;
      }
      // The GPU has failed, as after an index out of bounds: it runs nothing more.
      broken_ = true;
      on_.store(false);
      return hand_on_first(record, false);
    }
    hand_on_first(record, true);
  }

  // Of a stream that is captured nobody may ask: it would end the capture.
  Driver::Code state_of(Driver::Handle stream) const {
    int capturing = 0;
    const Driver::Code code = driver_.is_capturing(stream, &capturing);
    if (code != Driver::kSuccess) return code;
    return capturing != 0 ? Driver::kNotReady : driver_.query(stream);
  }

  static std::int64_t item_size(int dtype) {
    static constexpr std::int64_t kSizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 1, 1, 8, 16};
    return kSizes[dtype];
  }

  static bool lies_in_row(const at::Tensor& tensor) {
    const bool small = tensor.nbytes() <= sizeof(Result::small);
    return tensor.is_contiguous() || (!small && tensor.is_non_overlapping_and_dense());
  }

  static unsigned blocks_for(const at::Tensor& tensor, unsigned most) {
    const std::uint64_t wanted = std::max<std::uint64_t>(1, tensor.nbytes() / (kThreads * 64));
    return static_cast<unsigned>(std::min<std::uint64_t>(wanted, most));
  }

  // Where something can be launched now; false where nothing can.
  struct Where {
    Device* device = nullptr;
    Driver::Handle stream = nullptr;
    Lane lane;
  };
  bool find(const at::Tensor& tensor, Where* where) {
    const auto number = static_cast<std::int8_t>(std::max<int>(tensor.device().index(), 0));
    where->stream = driver_.stream(number);
    int capturing = 0;
    if (driver_.is_capturing(where->stream, &capturing) != Driver::kSuccess) return false;
    // What is captured into a graph runs again with it, when the place may be another's.
    if (capturing != 0) {
      captured_.store(true, std::memory_order_relaxed);
      return false;
    }
    where->device = device_of(number);
    return where->device != nullptr && where->device->find_lane(driver_, where->stream, &where->lane);
  }

  void take_place(const at::Tensor& tensor, const TensordbgTensor& event, const Where& where, bool in_row) {
    Place& place = places_[next_ % kPlaces];
    place.asked.event = event;
    place.asked.event.data = nullptr;
    place.asked.dims.assign(tensor.sizes().begin(), tensor.sizes().end());
    place.asked.strides.clear();
    // In the order of the memory, which the log translates.
    if (in_row && !tensor.is_contiguous()) place.asked.strides.assign(tensor.strides().begin(), tensor.strides().end());
    place.device = where.device;
    place.stream = where.stream;
    ++next_;
    count();
  }

  bool launch(const at::Tensor& tensor, const TensordbgTensor& event) {
    const c10::DeviceGuard on(tensor.device());
    Where where;
    Task task{};
    if (!find(tensor, &where) || !describe(tensor, &task)) return false;
    const Device& device = *where.device;
    const std::size_t at = next_ % kPlaces;
    task.parts = where.lane.parts;
    task.ended = where.lane.ended;
    task.result = device.results_there + at * sizeof(Result);
    task.number = next_ + 1;
    void* arguments[] = {&task};
    if (driver_.launch(device.kernels[event.dtype], blocks_for(tensor, kMostBlocks), 1, 1, kThreads, 1, 1, 0, where.stream, arguments, nullptr) !=
        Driver::kSuccess) {
      return false;
    }
    take_place(tensor, event, where, task.rank == 0);
    return true;
  }

  // ... of several that lie in rows and have one dtype.
  template <typename Record>
  bool ask_for(Wish* wishes, std::size_t size, Record record) {
    const std::lock_guard<std::mutex> guard(mutex_);
    hand_on(record);
    while (taken() + size > kPlaces) wait_for_first(record);
    const c10::DeviceGuard on(wishes->tensor.device());
    Where where;
    if (!find(wishes->tensor, &where)) return false;
    const Device& device = *where.device;
    Many many{};
    many.most_blocks = kMostBlocksOfMany;
    many.parts = where.lane.parts;
    many.ended = where.lane.ended;
    many.results = device.results_there;
    int end = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const at::Tensor& tensor = wishes[i].tensor;
      end += static_cast<int>(blocks_for(tensor, kMostBlocksOfMany));
      many.tasks[i] = {tensor.const_data_ptr(), tensor.numel(), next_ + i + 1, static_cast<int>((next_ + i) % kPlaces), end};
    }
    void* arguments[] = {&many};
    if (driver_.launch(device.kernels_of_many[wishes->event.dtype], static_cast<unsigned>(end), 1, 1, kThreads, 1, 1, 0, where.stream,
                       arguments, nullptr) != Driver::kSuccess) {
      return false;
    }
    for (std::size_t i = 0; i < size; ++i) {
      take_place(wishes[i].tensor, wishes[i].event, where, true);
      places_[(next_ - 1) % kPlaces].asked.sources = std::move(wishes[i].sources);
    }
    return true;
  }

  // How the elements lie; false where they have too many axes.
  static bool describe(const at::Tensor& tensor, Task* task) {
    task->data = tensor.const_data_ptr();
    task->count = tensor.numel();
    if (lies_in_row(tensor)) return true;
    for (std::int64_t axis = 0; axis < tensor.dim(); ++axis) {
      if (tensor.size(axis) == 1) continue;
      if (task->rank == kMaxRank) return false;
      task->dims[task->rank] = tensor.size(axis);
      task->strides[task->rank++] = tensor.stride(axis);
    }
    if (task->rank == 0) task->dims[task->rank++] = 1;
    return true;
  }

  // What is needed on a device, made at its first tensor; null where that fails.
  Device* device_of(std::int8_t number) {
    const auto found = devices_.find(number);
    if (found != devices_.end()) return found->second->works ? found->second.get() : nullptr;
    Device& device = *devices_.emplace(number, std::make_unique<Device>()).first->second;
    device.works = static_cast<std::size_t>(number) < images_.size() &&
                   device.prepare(driver_, images_[static_cast<std::size_t>(number)]);
    return device.works ? &device : nullptr;
  }

  inline static std::atomic<bool> forked_{false};
  std::mutex mutex_;
  Driver driver_;
  bool opened_ = false;
  bool broken_ = false;
  std::atomic<bool> on_{false};
  std::atomic<bool> captured_{false};
  std::atomic<std::size_t> waiting_{0};
  c10::DeviceType kind_ = c10::kCUDA;
  std::vector<std::string> images_;
  std::unordered_map<std::int8_t, std::unique_ptr<Device>> devices_;
  std::vector<Place> places_{kPlaces};
  std::uint64_t first_ = 0;  // the number of the first one that has not been handed on
  std::uint64_t next_ = 0;
};

}  // namespace tensordbg_torch
