// What is needed on a GPU to measure there: the kernels, memory for what they put together, and places for what they find.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "gpu_driver.h"
#include "log_table.h"

namespace tensordbg_torch {

constexpr unsigned kThreads = 256;
// Four for each of the processors of a large GPU, so that some look while others wait for memory.
constexpr unsigned kMostBlocks = 512;
constexpr unsigned kMostBlocksOfMany = 128;  // ... of each of many tensors
constexpr std::size_t kMany = 64;
constexpr int kMaxRank = 8;

// The following are as in gpu_kernel.cu; of what a block has found the size alone is needed.
constexpr std::size_t kPartSize = 96;

struct Result {
  TensordbgHealth health;
  unsigned char small[64];
  std::uint64_t done;
};

struct Task {
  const void* data;
  long long count;
  long long dims[kMaxRank];
  long long strides[kMaxRank];
  Driver::Address parts, ended, result;
  unsigned long long number;
  int rank;
};

struct Small {
  const void* data;
  long long count;
  unsigned long long number;
  int place, end;
};

struct Many {
  Small tasks[kMany];
  int most_blocks;
  Driver::Address parts, ended, results;
};

inline bool is_measured_with_others(int dtype) { return dtype >= 10 && dtype <= 13; }

// Where the blocks of a launch put together what they have found: one for all launches of a stream, which run one behind
// the other.
struct Lane {
  Driver::Address parts = 0, ended = 0;
};

struct Device {
  static constexpr std::size_t kPlaces = 2048;

  bool works = false;
  Driver::Handle kernels[18] = {};
  Driver::Handle kernels_of_many[18] = {};
  Driver::Address results_there = 0;
  Result* results = nullptr;

  // Loads the kernels, and makes the places; false where that fails.
  bool prepare(const Driver& driver, const std::string& image) {
    constexpr unsigned kPortableAndMapped = 1 | 2;
    Driver::Handle context = nullptr, module = nullptr;
    if (driver.context(&context) != Driver::kSuccess || context == nullptr) return false;
    if (driver.load(&module, image.data()) != Driver::kSuccess) return false;
    for (int dtype = 1; dtype < 18; ++dtype) {
      const std::string name = "tensordbg_measure_" + std::to_string(dtype);
      if (driver.function(&kernels[dtype], module, name.c_str()) != Driver::kSuccess) return false;
      const std::string of_many = "tensordbg_measure_many_" + std::to_string(dtype);
      if (!is_measured_with_others(dtype)) continue;
      if (driver.function(&kernels_of_many[dtype], module, of_many.c_str()) != Driver::kSuccess) return false;
    }
    void* host = nullptr;
    if (driver.allocate_on_host(&host, kPlaces * sizeof(Result), kPortableAndMapped) != Driver::kSuccess ||
        driver.address_on_device(&results_there, host, 0) != Driver::kSuccess) {
      return false;
    }
    results = static_cast<Result*>(host);
    for (std::size_t i = 0; i < kPlaces; ++i) results[i].done = 0;
    return true;
  }

  // A stream's lane, made at its first launch; false where there is no memory for it.
  bool find_lane(const Driver& driver, Driver::Handle stream, Lane* found) {
    constexpr std::size_t kParts = kPartSize * std::max<std::size_t>(kMostBlocks, kMany * kMostBlocksOfMany);
    constexpr std::size_t kEnded = kMany * sizeof(unsigned);
    Lane& lane = lanes_[stream];
    if (lane.ended == 0) {
      if (lane.parts == 0 && driver.allocate(&lane.parts, kParts + kEnded) != Driver::kSuccess) return false;
      if (driver.clear(lane.parts + kParts, 0, kEnded) != Driver::kSuccess) return false;
      lane.ended = lane.parts + kParts;
      // It is cleared on the default stream, for which others do not wait.
      while (driver.query(nullptr) == Driver::kNotReady) {
      }
    }
    *found = lane;
    return true;
  }

 private:
  std::unordered_map<Driver::Handle, Lane> lanes_;
};

}  // namespace tensordbg_torch
