#include "log/first_bad.h"

namespace tensordbg {
namespace {

constexpr double kLargestExponent = 88.0;

bool is_fatal(std::uint8_t fatal, const HealthFields& health) {
  return ((fatal & kFatalZero) != 0 && health.zero > 0) || ((fatal & kFatalNegative) != 0 && health.negative > 0) ||
         ((fatal & kFatalLarge) != 0 && health.max > kLargestExponent) ||
         ((fatal & kFatalBeyondOne) != 0 && (health.max > 1 || health.min < -1));
}

}  // namespace

void FirstBad::began(std::int64_t execution, std::uint32_t site, const std::int64_t* inputs, std::size_t count) {
  const auto number = static_cast<std::uint64_t>(execution);
  made_by_[number % kRecent].store(number << 32 | site, std::memory_order_relaxed);
  const std::uint8_t consumer = consumers_.get(site);
  const std::size_t operand = consumer >> kFatalBits;
  if (consumer == 0 || operand >= count || inputs[operand] < 0) return;
  const auto maker = static_cast<std::uint64_t>(inputs[operand] >> 16);
  const std::uint64_t made = made_by_[maker % kRecent].load(std::memory_order_relaxed);
  if (made >> 32 != (maker & 0xFFFFFFFFu)) return;
  watch(static_cast<std::uint32_t>(made), consumer & ((1 << kFatalBits) - 1));
}

bool FirstBad::wants(std::uint32_t site, const HealthFields& health, std::int64_t bytes) {
  const bool bad = health.neg_inf + health.pos_inf + health.nan > 0;
  if (!bad && !is_fatal(watched_.get(site), health)) return false;
  if (bytes > kLargest || left_.load(std::memory_order_relaxed) < bytes) return false;
  if (!(bad ? bad_ : fatal_).count_below(site, kOfEach)) return false;
  left_.fetch_sub(bytes, std::memory_order_relaxed);
  return true;
}

}  // namespace tensordbg
