// Which tensors are kept whole though nobody chose them: the first at each site that are not finite, and the first that give a
// number which is not finite where they go, such as a 0 of which the logarithm is taken. All within a small budget, so that the
// elements are at hand where the trouble began.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "log/values.h"
#include "record.h"

namespace tensordbg {

// What in a tensor is fatal to the operation that takes it, a bit each.
constexpr std::uint8_t kFatalZero = 1;
constexpr std::uint8_t kFatalNegative = 2;
constexpr std::uint8_t kFatalLarge = 4;      // an exponential overflows
constexpr std::uint8_t kFatalBeyondOne = 8;  // outside of [-1, 1]
constexpr int kFatalBits = 4;

class FirstBad {
 public:
  explicit FirstBad(std::int64_t budget) : left_(budget), made_by_(new std::atomic<std::uint64_t>[kRecent]()) {}

  // What is fatal in the tensors of a site.
  void watch(std::uint32_t site, std::uint8_t fatal) { watched_.add_bits(site, fatal); }
  // What is fatal in an operand of an eager site, whose inputs are known when it runs.
  void watch_operand(std::uint32_t site, int operand, std::uint8_t fatal) {
    consumers_.add_bits(site, static_cast<std::uint8_t>(operand << kFatalBits | fatal));
  }
  // An eager execution begins: its inputs' sites are watched from now on, where it is one that has something fatal. Each input
  // is the execution that made it << 16 | its slot.
  void began(std::int64_t execution, std::uint32_t site, const std::int64_t* inputs, std::size_t count);
  // Whether a measured tensor of so many bytes is kept; it is then counted.
  bool wants(std::uint32_t site, const HealthFields& health, std::int64_t bytes);

 private:
  static constexpr std::uint8_t kOfEach = 2;  // so many of a site are kept
  static constexpr std::int64_t kLargest = std::int64_t{4} << 20;
  static constexpr std::size_t kRecent = 8192;

  std::atomic<std::int64_t> left_;
  SiteBytes watched_;
  SiteBytes consumers_;
  SiteBytes bad_;
  SiteBytes fatal_;
  // For the last executions, their lower 32 bits and the site.
  const std::unique_ptr<std::atomic<std::uint64_t>[]> made_by_;
};

}  // namespace tensordbg
