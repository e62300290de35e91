// The health of integers and booleans, which have no non-finite elements.
#pragma once

#include <limits>

#include "health/block.h"

namespace tensordbg {
namespace {

template <typename T>
struct IntegerFeatures {
  T lowest;
  T highest;
  std::int64_t negative;
  std::int64_t zero;
};

template <typename T>
IntegerFeatures<T> integer_features(const unsigned char* data, std::int64_t count, T lowest, T highest) {
  using Counter = typename CounterOf<sizeof(T)>::Type;
  Counter negative = 0;
  Counter zero = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = load<T>(data, i);
    lowest = value < lowest ? value : lowest;
    highest = value > highest ? value : highest;
    negative = static_cast<Counter>(negative + (value < T{0}));
    zero = static_cast<Counter>(zero + (value == T{0}));
  }
  return {lowest, highest, static_cast<std::int64_t>(negative), static_cast<std::int64_t>(zero)};
}

template <typename T>
inline double to_double(T value) {
  return static_cast<double>(value);
}

#if defined(__x86_64__) && !defined(__AVX512DQ__)

// x86-64 before AVX-512 converts 64-bit integers only one by one. The halves, put into the mantissas of 2^52 and
// 2^84, are numbers that can be subtracted and added instead; only the last addition rounds. The sign bit is
// flipped and taken back as 2^63.
inline double halves_to_double(std::uint64_t bits, double high_offset) {
  const double low = bit_cast<double>((bits & 0xffffffff) | 0x4330000000000000);
  const double high = bit_cast<double>((bits >> 32) | 0x4530000000000000);
  return (high - high_offset) + (low - 0x1p52);
}

template <>
inline double to_double<std::uint64_t>(std::uint64_t value) {
  return halves_to_double(value, 0x1p84);
}

template <>
inline double to_double<std::int64_t>(std::int64_t value) {
  return halves_to_double(static_cast<std::uint64_t>(value) ^ 0x8000000000000000, 0x1p84 + 0x1p63);
}

#endif

template <typename T>
Sums integer_sums(const unsigned char* data, std::int64_t count) {
  double sum = 0.0;
  double squares = 0.0;
#pragma omp simd reduction(+ : sum, squares)
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = to_double(load<T>(data, i));
    sum += value;
    squares += value * value;
  }
  return {sum, squares};
}

template <typename T>
void measure_integer(const unsigned char* data, std::int64_t count, HealthFields* out) {
  constexpr std::int64_t kBlock = kBlockBytes / static_cast<std::int64_t>(sizeof(T));
  constexpr T kLowest = std::numeric_limits<T>::min();
  constexpr T kHighest = std::numeric_limits<T>::max();
  T lowest = kHighest;
  T highest = kLowest;
  for (std::int64_t start = 0; start < count; start += kBlock) {
    const unsigned char* block = data + start * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t size = smaller(kBlock, count - start);
    const IntegerFeatures<T> features = integer_features<T>(block, size, lowest, highest);
    const Sums sums = integer_sums<T>(block, size);
    lowest = features.lowest;
    highest = features.highest;
    out->negative += features.negative;
    out->zero += features.zero;
    out->sum += sums.sum;
    out->sum_squares += sums.squares;
  }
  if (count <= 0) return;
  out->min = static_cast<double>(lowest);
  out->max = static_cast<double>(highest);
}

// Any byte but 0 counts as true, and true as 1.
inline void measure_bool(const unsigned char* data, std::int64_t count, HealthFields* out) {
  for (std::int64_t start = 0; start < count; start += kBlockBytes) {
    const unsigned char* block = data + start;
    const std::int64_t size = smaller(kBlockBytes, count - start);
    CounterOf<1>::Type zero = 0;
    for (std::int64_t i = 0; i < size; ++i) {
      zero = static_cast<CounterOf<1>::Type>(zero + (block[i] == 0));
    }
    out->zero += zero;
  }
  if (count <= 0) return;
  out->sum = static_cast<double>(count - out->zero);
  out->sum_squares = out->sum;
  out->min = out->zero > 0 ? 0.0 : 1.0;
  out->max = out->zero < count ? 1.0 : 0.0;
}

}  // namespace
}  // namespace tensordbg
