// Whether all elements of an array are finite: the one question that is asked of every tensor while a program is
// checked. It reads each element once and counts nothing.
#pragma once

#include "health/block.h"
#include "health/formats.h"

namespace tensordbg {
namespace {

// The largest magnitude of each lane: so many elements side by side that an instruction need not wait for the one before.
template <class Format>
struct LargestMagnitudes {
  using Bits = typename Format::Bits;
  static constexpr std::int64_t kLanes = 4 * kLine / static_cast<std::int64_t>(sizeof(Bits));
  Bits largest[kLanes] = {};

  void add(const unsigned char* data) {
    for (std::int64_t i = 0; i < kLanes; ++i) {
      const Bits magnitude = load<Bits>(data, i) & Format::kMagnitude;
      largest[i] = magnitude > largest[i] ? magnitude : largest[i];
    }
  }

  bool all_finite() const {
    Bits most = 0;
    for (std::int64_t i = 0; i < kLanes; ++i) most = largest[i] > most ? largest[i] : most;
    return most < Format::kFirstNonFinite;
  }
};

// Looks at `rounds` rounds: the lanes of each of four streams, which follow one another.
template <class Format>
bool finite_rounds(const unsigned char* data, std::int64_t rounds) {
  constexpr std::int64_t kBytes = 4 * kLine;
  LargestMagnitudes<Format> largest;
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t stream = 0; stream < kStreams; ++stream) {
      const unsigned char* elements = data + (stream * rounds + round) * kBytes;
      for (int line = 0; line < 4; ++line) fetch_ahead(elements + line * kLine);
      largest.add(elements);
    }
  }
  return largest.all_finite();
}

template <class Format>
bool finite_numbers(const unsigned char* data, std::int64_t count) {
  using Bits = typename Format::Bits;
  constexpr std::int64_t kRound = kStreams * LargestMagnitudes<Format>::kLanes;
  constexpr std::int64_t kMostRounds = kSpanBytes / (kRound * static_cast<std::int64_t>(sizeof(Bits)));
  std::int64_t i = 0;
  while (i + kRound <= count) {
    const std::int64_t rounds = smaller((count - i) / kRound, kMostRounds);
    if (!finite_rounds<Format>(data + i * static_cast<std::int64_t>(sizeof(Bits)), rounds)) return false;
    i += rounds * kRound;
  }
  Bits largest = 0;
  for (; i < count; ++i) {
    const Bits magnitude = load<Bits>(data, i) & Format::kMagnitude;
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest < Format::kFirstNonFinite;
}

inline bool finite_variant(const void* start, std::int64_t count, DType dtype) {
  const unsigned char* data = static_cast<const unsigned char*>(start);
  switch (dtype) {
    case DType::kFloat16: return finite_numbers<Float16Format>(data, count);
    case DType::kBFloat16: return finite_numbers<BFloat16Format>(data, count);
    case DType::kFloat32: return finite_numbers<Float32Format>(data, count);
    case DType::kFloat64: return finite_numbers<Float64Format>(data, count);
    case DType::kFloat8E4M3FN: return finite_numbers<Float8E4M3FNFormat>(data, count);
    case DType::kFloat8E5M2: return finite_numbers<Float8E5M2Format>(data, count);
    case DType::kComplex64: return finite_numbers<Float32Format>(data, 2 * count);
    case DType::kComplex128: return finite_numbers<Float64Format>(data, 2 * count);
    default: return true;
  }
}

}  // namespace
}  // namespace tensordbg
