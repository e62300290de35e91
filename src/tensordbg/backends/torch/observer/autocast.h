// The dtype into which autocast has operations compute.
#pragma once

#include <ATen/autocast_mode.h>

namespace tensordbg_torch {

// ... of this thread now, + 1; 0 where it is off. A program has it on for one kind of device.
inline int autocast_now() {
  for (const c10::DeviceType device : {at::kCUDA, at::kCPU}) {
    if (at::autocast::is_autocast_enabled(device)) return static_cast<int>(at::autocast::get_autocast_dtype(device)) + 1;
  }
  return 0;
}

}  // namespace tensordbg_torch
