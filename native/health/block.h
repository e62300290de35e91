// What all kinds of dtype share in the health kernel. Everything here and in the headers that include it has internal
// linkage, because it is compiled once for each instruction set and the linker must not merge the copies; for
// the same reason nothing of the standard library is called that has a body in a header.
//
// The loops are written so that the compiler makes vector code of them. Where doubles are added, `omp simd` lets it
// change the order, and where a block is copied it says that the two do not overlap; elsewhere it would only make
// short loops slower. No other freedom is given, so that NaNs and subnormals keep their meaning.
#pragma once

#include <cstdint>
#include <cstring>

#include "health/measure.h"

namespace tensordbg {
namespace {

// Bytes that are worked on at a time. The loops pass over a block several times, so it must stay in the first-level
// cache together with a copy.
constexpr std::int64_t kBlockBytes = 16384;

// The narrowest counter that a block can't overflow and that vectorises with elements of the size.
template <int kSize>
struct CounterOf {
  using Type = std::uint16_t;
};
template <>
struct CounterOf<4> {
  using Type = std::uint32_t;
};
template <>
struct CounterOf<8> {
  using Type = std::uint64_t;
};
static_assert(kBlockBytes <= UINT16_MAX, "a block must not overflow the 16-bit counters");

// Element `index` of an array at any alignment.
template <typename T>
inline T load(const unsigned char* data, std::int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
inline void store(unsigned char* data, std::int64_t index, T value) {
  std::memcpy(data + index * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
}

template <typename To, typename From>
inline To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

// Has a line of memory fetched that will be read soon. The processor does so by itself, but stops at the end of each page of
// 4 KiB: of a tensor that lies in no near cache, which another core made or an earlier operation, most of the time would go
// by waiting. Addresses beyond the tensor's end do no harm.
constexpr std::uintptr_t kFetchAhead = 2048;
constexpr std::int64_t kLine = 64;

// In so many places at a time a large tensor is read: of one that lies in no near cache a processor fetches about 1.3 times as
// much in a time when it sees four streams.
constexpr std::int64_t kStreams = 4;

// So much is read at once: long streams, and not much to look at again where a number is not finite.
constexpr std::int64_t kSpanBytes = 262144;

inline void fetch_ahead(const unsigned char* data) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(data) + kFetchAhead));
}

struct Sums {
  double sum = 0.0;
  double squares = 0.0;
};

// Those among some floating-point numbers that are zero or subnormal.
struct TinyCounts {
  std::int64_t zero = 0;
  std::int64_t negative_zero = 0;
  std::int64_t subnormal = 0;
};

inline std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

inline HealthFields empty_health() {
  HealthFields health{};
  health.first_bad = -1;
  health.min = __builtin_nan("");
  health.max = __builtin_nan("");
  return health;
}

}  // namespace
}  // namespace tensordbg
