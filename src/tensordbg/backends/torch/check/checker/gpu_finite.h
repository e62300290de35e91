// What a tensor on a GPU holds that is not finite: measured there, and waited for, so that an operation raises where it stands.
#pragma once

#include <mutex>

#include "finite.h"
#include "gpu_health.h"

namespace tensordbg_torch {

class GpuFinite {
 public:
  bool start(std::vector<std::string> images, c10::DeviceType kind) { return health_.start(std::move(images), kind); }

  void stop() { health_.stop(); }

  // Whether a tensor's elements can be looked at, here or there.
  bool can_look(const at::Tensor& tensor) const { return is_readable(tensor) || health_.measures(tensor); }

  bool all_finite(const at::Tensor& tensor) {
    return is_there(tensor) ? !measured(tensor).any() : is_finite(tensor);
  }

  Badness badness(const at::Tensor& tensor) { return is_there(tensor) ? measured(tensor) : badness_of(tensor); }

 private:
  bool is_there(const at::Tensor& tensor) const {
    return tensor.defined() && has_bad_numbers(tensor.scalar_type()) && has_elements(tensor) && health_.measures(tensor);
  }

  // Of what can't be measured now, as within a graph that is captured, nothing bad is said.
  Badness measured(const at::Tensor& tensor) {
    const std::lock_guard<std::mutex> guard(mutex_);
    Badness found;
    const auto take = [&found, &tensor](const Asked& asked) {
      if (asked.event.health == nullptr) return;
      const TensordbgHealth& health = *asked.event.health;
      found.nan = health.nan > 0;
      found.infinities = health.neg_inf + health.pos_inf > 0;
      found.only_minus = health.pos_inf == 0;
      found.others_zero = health.zero + health.nan + health.neg_inf + health.pos_inf == tensor.numel();
    };
    TensordbgTensor event{};
    event.dtype = dtype_number(tensor.scalar_type());
    if (health_.ask(tensor, event, {}, take)) health_.settle_all(take);
    return found;
  }

  std::mutex mutex_;
  GpuHealth health_;
};

}  // namespace tensordbg_torch
