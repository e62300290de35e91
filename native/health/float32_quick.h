// A quick look at many float32, bfloat16 or float16, where they are like those before them: at about half of the time of a
// careful one, by adding up in single precision first. The vectors are those of `vectors_avx2.h` or of `vectors_avx512.h`.
//
// What is added up is how far the elements lie from a number near their mean, where that keeps the sums smaller; of eight
// vectors in pairs and pairs of pairs, then of four such groups one by one, which is exact where all are the same, as their
// distance has few digits; and the sums of these in double precision. Six additions round, so the error of the sum is below
// 6 * 2^-24 times the sum of these distances; of the squares, eight (Higham, "The accuracy of floating point summation", 1993,
// section 3: pairwise summation).
#pragma once

#include "health/block.h"
#include "health/formats.h"

namespace tensordbg {
namespace {

constexpr std::int64_t kGroup = 8 * kVector;
constexpr std::int64_t kRound = kStreams * kGroup;

template <class Format>
constexpr std::int64_t kSize = static_cast<std::int64_t>(sizeof(typename Format::Bits));

// A number near the mean of what was seen before, or 0 where the mean is no larger than the spread about it. It has few digits:
// subtracted from numbers as large as those it causes no error of rounding, which would be the same each time.
template <class Format>
float centre_of(const Summary<Format>& before) {
  constexpr std::int64_t kExponent = 0x7ff0000000000000;
  constexpr double kDigits = 0x1p12;
  const double size = static_cast<double>(before.size);
  if (2.0 * before.sums.sum * before.sums.sum <= size * before.sums.squares) return 0.0f;
  const double low = Format::value(rank_of<Format>(before.features.lowest));
  const double high = Format::value(rank_of<Format>(before.features.highest));
  const double largest = high > -low ? high : -low;
  const double unit = bit_cast<double>(bit_cast<std::int64_t>(largest) & kExponent) / kDigits;
  if (!(unit > 0.0)) return 0.0f;
  return static_cast<float>(__builtin_rint(before.sums.sum / (size * unit)) * unit);
}

// What a quick look gathers of the numbers' distances from a centre.
template <class Format, bool kCentred>
struct QuickLook {
  Vector centre;
  Extremes extremes[2];
  DoubleLanes sum, squares;
  std::int64_t signs_seen = 0;

  explicit QuickLook(Vector middle) : centre(middle) {}

  // One group from each of the four places, which lie `stride` bytes apart.
  void add_round(const unsigned char* data, std::int64_t stride) {
    Vector round_sum = all_of(0.0f), round_squares = all_of(0.0f);
#pragma GCC unroll 1  // more have more in hand than there are registers
    for (int k = 0; k < kStreams; ++k) {
      const GroupSums group = look_at_group(data + k * stride);
      round_sum = plus(round_sum, group.sum);
      round_squares = plus(round_squares, group.squares);
    }
    sum.add(round_sum);
    squares.add(round_squares);
  }

  struct GroupSums {
    Vector sum, squares;
  };

  GroupSums look_at_group(const unsigned char* group) {
    Vector values[8], sums[4], powers[2];
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      const unsigned char* data = group + k * kVector * kSize<Format>;
      if (k * kVector * kSize<Format> % kLine == 0) fetch_ahead(data);
      values[k] = load_vector<Format>(data);
      extremes[k % 2].add(values[k]);
      const Vector distance = kCentred ? minus(values[k], centre) : values[k];
      sums[k / 2] = k % 2 == 0 ? distance : plus(sums[k / 2], distance);
      powers[k % 2] = k < 2 ? times(distance, distance) : times_plus(distance, distance, powers[k % 2]);
      if (k % 4 == 3) signs_seen += signs(values[k - 3], values[k - 2], values[k - 1], values[k]);
    }
    return {plus(plus(sums[0], sums[1]), plus(sums[2], sums[3])), plus(powers[0], powers[1])};
  }
};

// Whether the distances can be squared in single precision: where one is not finite their sum isn't either, and where
// all are tiny their squares are lost, unless they are so beside the centre's.
inline bool trusted(double squares, std::int64_t size, float furthest, float centre) {
  constexpr double kLeast = 0x1p-100;
  constexpr float kBeside = 0x1p-12f;
  return __builtin_isfinite(squares) &&
         (squares > kLeast * static_cast<double>(size) || furthest <= kBeside * __builtin_fabsf(centre));
}

// The rank of a number, of a zero that of the one without a sign.
template <class Format>
typename Format::Bits rank_of_value(float value) {
  return value == 0.0f ? 0 : rank_of<Format>(bits_of<Format>(value));
}

template <class Format, bool kCentred>
bool look_around(float centre, const unsigned char* data, std::int64_t size, Summary<Format>* out) {
  QuickLook<Format, kCentred> look(all_of(centre));
  const std::int64_t stride = size / kStreams * kSize<Format>;
  for (std::int64_t i = 0; i < stride; i += kGroup * kSize<Format>) look.add_round(data + i, stride);
  look.extremes[0].join(look.extremes[1]);
  const float lowest = look.extremes[0].least(), highest = look.extremes[0].most();
  const double sum = look.sum.total(), squares = look.squares.total();
  const float above = highest - centre, below = centre - lowest;
  if (!trusted(squares, size, above > below ? above : below, centre)) return false;
  out->features.lowest = rank_of_value<Format>(lowest);
  out->features.highest = rank_of_value<Format>(highest);
  TinyCounts tiny;
  if (look.extremes[0].least_magnitude() < Format::value(Format::kMinNormal)) tiny = count_tiny<Format>(data, size);
  out->features.negative = look.signs_seen - tiny.negative_zero;
  out->features.zero = tiny.zero;
  out->features.subnormal = tiny.subnormal;
  const double number = static_cast<double>(size), shift = centre;
  out->sums.sum = sum + number * shift;
  out->sums.squares = squares + shift * (2.0 * sum + number * shift);
  out->size = size;
  return true;
}

template <class Format>
std::int64_t span_of(std::int64_t count) {
  return smaller(count / kRound, kSpanBytes / (kRound * kSize<Format>)) * kRound;
}

template <class Format>
bool look(const unsigned char* data, std::int64_t span, const Summary<Format>& before, Summary<Format>* out) {
  const float centre = centre_of(before);
  return centre == 0.0f ? look_around<Format, false>(centre, data, span, out) : look_around<Format, true>(centre, data, span, out);
}

template <>
inline std::int64_t quick_span<Float32Format>(std::int64_t count) {
  return span_of<Float32Format>(count);
}

template <>
inline std::int64_t quick_span<BFloat16Format>(std::int64_t count) {
  return span_of<BFloat16Format>(count);
}

template <>
inline std::int64_t quick_span<Float16Format>(std::int64_t count) {
  return span_of<Float16Format>(count);
}

template <>
inline bool look_quickly(const unsigned char* data, std::int64_t span, const Summary<Float32Format>& before,
                         Summary<Float32Format>* out) {
  return look(data, span, before, out);
}

template <>
inline bool look_quickly(const unsigned char* data, std::int64_t span, const Summary<BFloat16Format>& before,
                         Summary<BFloat16Format>* out) {
  return look(data, span, before, out);
}

template <>
inline bool look_quickly(const unsigned char* data, std::int64_t span, const Summary<Float16Format>& before,
                         Summary<Float16Format>* out) {
  return look(data, span, before, out);
}

}  // namespace
}  // namespace tensordbg
