// What is recorded of tensors of strings: the numbers of their health are those of the elements' lengths in bytes, and
// their elements are kept as lengths and texts. `tensordbg/trace/raw/strings.py` reads what `pack` writes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "record.h"

namespace tensordbg {

struct Text {
  const char* data;
  std::size_t size;
};

// Bytes of one element of a string tensor in TensorFlow's memory (TF_TString).
constexpr std::size_t kStringElement = 24;

// The text of an element in TensorFlow's memory. The layout is that of tsl/platform/ctstring_internal.h, which is inline in
// all that is compiled against TensorFlow and so can't change.
inline Text text_at(const void* elements, std::int64_t index) {
  enum Kind : std::uint8_t { kSmall = 0, kLarge = 1, kOffset = 2, kView = 3 };
  const char* element = static_cast<const char*>(elements) + index * static_cast<std::int64_t>(kStringElement);
  std::uint64_t words[3];
  std::memcpy(words, element, sizeof words);
  const char* pointer;
  switch (static_cast<Kind>(words[0] & 3)) {
    case kSmall: return {element + 1, static_cast<std::size_t>((words[0] & 0xFF) >> 2)};
    case kLarge:
      std::memcpy(&pointer, &words[2], sizeof pointer);
      return {pointer, static_cast<std::size_t>(words[0] >> 2)};
    case kOffset: return {element + (words[0] >> 32), static_cast<std::size_t>((words[0] & 0xFFFFFFFF) >> 2)};
    default:
      std::memcpy(&pointer, &words[1], sizeof pointer);
      return {pointer, static_cast<std::size_t>(words[0] >> 2)};
  }
}

// The numbers of a health for the lengths of `count` texts; `at(k)` gives one.
template <typename At>
void measure_lengths(std::int64_t count, At at, HealthFields* out) {
  *out = HealthFields{};
  out->first_bad = -1;
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  std::size_t longest = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::size_t size = at(k).size;
    shortest = std::min(shortest, size);
    longest = std::max(longest, size);
    out->zero += size == 0;
    out->sum += static_cast<double>(size);
    out->sum_squares += static_cast<double>(size) * static_cast<double>(size);
  }
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  out->min = count > 0 ? static_cast<double>(shortest) : kNone;
  out->max = count > 0 ? static_cast<double>(longest) : kNone;
}

// Of one tensor so many bytes of text are kept.
constexpr std::int64_t kMostText = 4 << 20;

// How many bytes `pack` gives for so many texts of so many bytes together.
inline std::int64_t packed_bytes(std::int64_t count, double total) {
  return count * 8 + static_cast<std::int64_t>(std::min(total, static_cast<double>(kMostText)));
}

// The length of each text in eight bytes, then the texts without a gap, as far as they are kept.
template <typename At>
std::vector<char> pack(std::int64_t count, At at) {
  std::vector<char> packed(static_cast<std::size_t>(count) * 8);
  std::size_t room = kMostText;
  for (std::int64_t k = 0; k < count; ++k) {
    const Text text = at(k);
    const std::uint64_t size = text.size;
    std::memcpy(packed.data() + k * 8, &size, sizeof size);
    const std::size_t kept = std::min(room, text.size);
    packed.insert(packed.end(), text.data, text.data + kept);
    room -= kept;
  }
  return packed;
}

}  // namespace tensordbg
