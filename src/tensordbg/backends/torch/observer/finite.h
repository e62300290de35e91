// Whether all elements of a tensor are finite, and what they are if not.
#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tensors.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TENSORDBG_FAST __attribute__((target_clones("avx2", "default"), optimize("O3")))
#else
#define TENSORDBG_FAST
#endif

namespace tensordbg_torch {

// What a tensor holds that is not finite.
struct Badness {
  bool infinities = false;
  bool nan = false;
  bool only_minus = true;   // ... and every infinity is a negative one
  bool others_zero = true;  // ... and whatever is finite is zero
  bool any() const { return infinities || nan; }
};

// An element is finite where its exponent is not full: the largest word without its sign tells.
template <typename Word>
inline Word largest_words(const Word* words, std::int64_t count) {
  constexpr Word kMagnitude = static_cast<Word>(~(Word{1} << (8 * sizeof(Word) - 1)));
  Word largest = 0;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max<Word>(largest, static_cast<Word>(words[i] & kMagnitude));
  return largest;
}

TENSORDBG_FAST inline std::uint16_t largest(const std::uint16_t* words, std::int64_t count) {
  return largest_words(words, count);
}
TENSORDBG_FAST inline std::uint32_t largest(const std::uint32_t* words, std::int64_t count) {
  return largest_words(words, count);
}
TENSORDBG_FAST inline std::uint64_t largest(const std::uint64_t* words, std::int64_t count) {
  return largest_words(words, count);
}

inline bool has_bad_numbers(at::ScalarType type) {
  switch (type) {
    case at::kHalf: case at::kBFloat16: case at::kFloat: case at::kDouble: case at::kComplexFloat: case at::kComplexDouble:
    case at::kFloat8_e5m2: case at::kFloat8_e4m3fn:
      return true;
    default:
      return false;
  }
}

template <typename Word>
bool finite_words(const void* data, std::int64_t count, Word infinity) {
  return largest(static_cast<const Word*>(data), count) < infinity;
}

inline bool finite_bytes(const std::uint8_t* data, std::int64_t count, std::uint8_t infinity) {
  for (std::int64_t i = 0; i < count; ++i) {
    if ((data[i] & 0x7F) >= infinity) return false;
  }
  return true;
}

// `count` elements that lie one behind the other.
inline bool all_finite(const void* data, std::int64_t count, at::ScalarType type) {
  switch (type) {
    case at::kHalf: return finite_words<std::uint16_t>(data, count, 0x7C00);
    case at::kBFloat16: return finite_words<std::uint16_t>(data, count, 0x7F80);
    case at::kFloat: return finite_words<std::uint32_t>(data, count, 0x7F800000u);
    case at::kDouble: return finite_words<std::uint64_t>(data, count, 0x7FF0000000000000ull);
    case at::kComplexFloat: return finite_words<std::uint32_t>(data, 2 * count, 0x7F800000u);
    case at::kComplexDouble: return finite_words<std::uint64_t>(data, 2 * count, 0x7FF0000000000000ull);
    case at::kFloat8_e5m2: return finite_bytes(static_cast<const std::uint8_t*>(data), count, 0x7C);
    case at::kFloat8_e4m3fn: return finite_bytes(static_cast<const std::uint8_t*>(data), count, 0x7F);
    default: return true;
  }
}

// The elements in row-major order.
inline std::vector<char> gathered(const at::Tensor& tensor) {
  const auto item = static_cast<std::int64_t>(tensor.element_size());
  std::vector<char> into(static_cast<std::size_t>(tensor.numel() * item));
  if (into.empty()) return into;
  const auto* from = static_cast<const char*>(tensor.const_data_ptr());
  if (tensor.is_contiguous()) {
    std::copy_n(from, into.size(), into.data());
    return into;
  }
  const auto dims = tensor.sizes();
  const auto strides = tensor.strides();
  std::vector<std::int64_t> at(dims.size(), 0);
  std::int64_t offset = 0;
  for (std::size_t to = 0; to < into.size(); to += static_cast<std::size_t>(item)) {
    std::copy_n(from + offset * item, item, into.data() + to);
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++at[axis] < dims[axis]) break;
      offset -= at[axis] * strides[axis];
      at[axis] = 0;
    }
  }
  return into;
}

inline bool can_be_checked(const at::Tensor& tensor) {
  return tensor.defined() && has_bad_numbers(tensor.scalar_type()) && has_elements(tensor) && is_readable(tensor) &&
         tensor.numel() > 0;
}

inline bool is_finite(const at::Tensor& tensor) {
  if (!can_be_checked(tensor)) return true;
  if (tensor.is_contiguous() || tensor.is_non_overlapping_and_dense()) {
    return all_finite(tensor.const_data_ptr(), tensor.numel(), tensor.scalar_type());
  }
  const std::vector<char> elements = gathered(tensor);
  return all_finite(elements.data(), tensor.numel(), tensor.scalar_type());
}

template <typename Word>
void look_at_words(const std::vector<char>& elements, Word infinity, Badness* found) {
  constexpr Word kSign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  for (std::size_t at = 0; at + sizeof(Word) <= elements.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, elements.data() + at, sizeof word);
    const Word magnitude = static_cast<Word>(word & static_cast<Word>(~kSign));
    if (magnitude > infinity) found->nan = true;
    else if (magnitude == infinity) found->infinities = true, found->only_minus = found->only_minus && (word & kSign) != 0;
    else found->others_zero = found->others_zero && magnitude == 0;
  }
}

inline Badness badness_of(const at::Tensor& tensor) {
  Badness found;
  if (!can_be_checked(tensor)) return found;
  const std::vector<char> elements = gathered(tensor);
  switch (tensor.scalar_type()) {
    case at::kHalf: look_at_words<std::uint16_t>(elements, 0x7C00, &found); break;
    case at::kBFloat16: look_at_words<std::uint16_t>(elements, 0x7F80, &found); break;
    case at::kFloat: case at::kComplexFloat: look_at_words<std::uint32_t>(elements, 0x7F800000u, &found); break;
    case at::kDouble: case at::kComplexDouble: look_at_words<std::uint64_t>(elements, 0x7FF0000000000000ull, &found); break;
    case at::kFloat8_e5m2: look_at_words<std::uint8_t>(elements, 0x7C, &found); break;
    default: found.nan = !all_finite(elements.data(), tensor.numel(), tensor.scalar_type()); break;
  }
  return found;
}

}  // namespace tensordbg_torch
