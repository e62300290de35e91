// The kinds of elements that a GPU's kernel looks at: how one is read, what it adds to what was seen.
//
// Part of gpu_kernel.cu, which says what may stand here.
#pragma once

using Signed = long long;
using Unsigned = unsigned long long;

// What the elements tell that one thread has looked at.
template <typename Order>
struct Seen {
  Order lowest, highest;  // of finite numbers, in an order of integers
  double sum, squares, scaled;
  Signed first_bad;
  unsigned negative, zero, neg_inf, pos_inf, nan, subnormal;
};

constexpr int kThreads = 256;
constexpr Signed kFar = 0x7fffffffffffffffLL;
constexpr double kScale = 0x1p-64;

template <typename To, typename From>
__device__ inline To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "bits are kept");
  union {
    From from;
    To to;
  } both;
  both.from = from;
  return both.to;
}

__device__ inline bool is_finite(double value) {
  return (same_bits<Unsigned>(value) & 0x7ff0000000000000ULL) != 0x7ff0000000000000ULL;
}

// The integers in whose order numbers of a width are compared.
template <typename Word>
struct OrderOf {
  using Type = int;
};
template <>
struct OrderOf<Signed> {
  using Type = Signed;
};
template <>
struct OrderOf<Unsigned> {
  using Type = Signed;
};

template <typename Word, Signed kInfinity, Signed kFirstNan, Signed kMinNormal>
struct Format {
  using Bits = Word;
  using Order = typename OrderOf<Word>::Type;
  static constexpr Order kMagnitude = static_cast<Order>((Unsigned{1} << (8 * sizeof(Word) - 1)) - 1);
  static constexpr Order kFirstBad = kInfinity;
  static constexpr Order kNan = kFirstNan;
  static constexpr Order kNormal = kMinNormal;
};

// A number with fewer bits of exponent than float32.
template <int kMantissa, int kBias>
__device__ inline double widened(int bits, int magnitude) {
  constexpr float kQuantum = 1.0f / static_cast<float>(1LL << (kBias - 1 + kMantissa));
  const int normal = (magnitude << (23 - kMantissa)) + ((127 - kBias) << 23);
  const float value = magnitude < 1 << kMantissa ? static_cast<float>(magnitude) * kQuantum : same_bits<float>(normal);
  return static_cast<double>(bits < 0 ? -value : value);
}

struct Float32 : Format<int, 0x7f800000, 0x7f800001, 0x00800000> {
  __device__ static double number(int bits) { return static_cast<double>(same_bits<float>(bits)); }
};
struct Float64 : Format<Signed, 0x7ff0000000000000LL, 0x7ff0000000000001LL, 0x0010000000000000LL> {
  __device__ static double number(Signed bits) { return same_bits<double>(bits); }
};
struct BFloat16 : Format<short, 0x7f80, 0x7f81, 0x0080> {
  __device__ static double number(int bits) {
    return static_cast<double>(same_bits<float>(static_cast<unsigned>(bits) << 16));
  }
};
struct Float16 : Format<short, 0x7c00, 0x7c01, 0x0400> {
  __device__ static double number(int bits) { return widened<10, 15>(bits, bits & kMagnitude); }
};
struct Float8E4M3FN : Format<signed char, 0x7f, 0x7f, 0x08> {
  __device__ static double number(int bits) { return widened<3, 7>(bits, bits & kMagnitude); }
};
struct Float8E5M2 : Format<signed char, 0x7c, 0x7d, 0x04> {
  __device__ static double number(int bits) { return widened<2, 15>(bits, bits & kMagnitude); }
};

template <typename Order>
__device__ inline void add(double value, Seen<Order>* seen) {
  seen->sum += value;
  seen->squares += value * value;
}

template <typename Order>
__device__ inline void place(Order at, Seen<Order>* seen) {
  if (at < seen->lowest) seen->lowest = at;
  if (at > seen->highest) seen->highest = at;
}

template <typename Order>
__device__ inline void note_bad(Signed index, Seen<Order>* seen) {
  if (index < seen->first_bad) seen->first_bad = index;
}

template <class F>
struct Real {
  using Element = typename F::Bits;
  using Order = typename F::Order;
  // -0 before +0.
  __device__ static Order order(Order bits) { return bits < 0 ? bits ^ F::kMagnitude : bits; }
  __device__ static void look(Element element, Signed index, Seen<Order>* seen) {
    const Order bits = element;
    const Order magnitude = bits & F::kMagnitude;
    if (magnitude >= F::kFirstBad) {
      if (magnitude >= F::kNan) ++seen->nan;
      else if (bits < 0) ++seen->neg_inf;
      else ++seen->pos_inf;
      note_bad(index, seen);
      return;
    }
    place(order(bits), seen);
    seen->zero += magnitude == 0;
    seen->negative += bits < 0 && magnitude != 0;
    seen->subnormal += magnitude != 0 && magnitude < F::kNormal;
    const double value = F::number(bits);
    add(value, seen);
    // Only a sum that is itself too large is infinite, not one whose parts cancel.
    if (sizeof(Element) == 8) seen->scaled += value * kScale;
  }
  __device__ static double number(Signed at) { return F::number(order(static_cast<Order>(at))); }
};

// Looks at the elements that one load brings.
template <class Kind, int kEach>
struct Together {
  using Element = typename Kind::Element;
  __device__ static void look(const Element* elements, Signed first, Seen<typename Kind::Order>* seen) {
    for (int i = 0; i < kEach; ++i) Kind::look(elements[i], first + i, seen);
  }
};

// The same of finite numbers, with few instructions for each; where one is not, or is close to zero, they are looked at again.
template <class F, int kEach>
struct Together<Real<F>, kEach> {
  using Kind = Real<F>;
  using Element = typename F::Bits;
  using Order = typename F::Order;
  __device__ static void look(const Element* elements, Signed first, Seen<Order>* seen) {
    Order lowest = F::kMagnitude, highest = -lowest - 1, least = F::kMagnitude;
    unsigned negative = 0;
    for (int i = 0; i < kEach; ++i) {
      const Order bits = elements[i], magnitude = bits & F::kMagnitude, at = Kind::order(bits);
      lowest = at < lowest ? at : lowest;
      highest = at > highest ? at : highest;
      least = magnitude < least ? magnitude : least;
      negative += bits < 0;
    }
    const bool all_finite = highest < F::kFirstBad && lowest > -F::kFirstBad - 1;
    if (sizeof(Element) == 8 || !all_finite) {
      for (int i = 0; i < kEach; ++i) Kind::look(elements[i], first + i, seen);
      return;
    }
    place(lowest, seen);
    place(highest, seen);
    seen->negative += negative;
    for (int i = 0; i < kEach; ++i) add(F::number(elements[i]), seen);
    if (least >= F::kNormal) return;
    for (int i = 0; i < kEach; ++i) {
      const Order magnitude = elements[i] & F::kMagnitude;
      seen->zero += magnitude == 0;
      seen->negative -= elements[i] < 0 && magnitude == 0;
      seen->subnormal += magnitude != 0 && magnitude < F::kNormal;
    }
  }
};

// The larger magnitude of the two parts says all that is counted; what is summed is the modulus.
template <class F>
struct Complex {
  struct Element {
    typename F::Bits real, imaginary;
  };
  using Order = Signed;
  __device__ static void look(Element element, Signed index, Seen<Order>* seen) {
    const typename F::Order real = element.real & F::kMagnitude, imaginary = element.imaginary & F::kMagnitude;
    const typename F::Order larger = real > imaginary ? real : imaginary;
    if (larger >= F::kFirstBad) {
      if (larger >= F::kNan) ++seen->nan;
      else ++seen->pos_inf;
      note_bad(index, seen);
      return;
    }
    seen->zero += larger == 0;
    seen->subnormal += larger != 0 && larger < F::kNormal;
    const double a = F::number(real), b = F::number(imaginary);
    const double modulus = sizeof(typename F::Bits) == 8 ? hypot(a, b) : sqrt(a * a + b * b);
    place(same_bits<Signed>(modulus), seen);
    add(modulus, seen);
  }
  __device__ static double number(Signed at) { return same_bits<double>(at); }
};

template <typename T>
struct Whole {
  using Element = T;
  using Order = typename OrderOf<T>::Type;
  static constexpr bool kUnsigned = static_cast<T>(-1) > static_cast<T>(0);
  static constexpr Order kTop = kUnsigned && sizeof(T) == sizeof(Order) ? static_cast<Order>(Unsigned{1} << (8 * sizeof(Order) - 1)) : 0;
  __device__ static void look(Element element, Signed, Seen<Order>* seen) {
    place(static_cast<Order>(element) ^ kTop, seen);
    seen->zero += element == 0;
    seen->negative += !kUnsigned && static_cast<Order>(element) < 0;
    add(static_cast<double>(element), seen);
  }
  __device__ static double number(Signed at) { return static_cast<double>(static_cast<T>(static_cast<Order>(at) ^ kTop)); }
};

// Any byte but 0 is true.
struct Truth {
  using Element = unsigned char;
  using Order = int;
  __device__ static void look(Element element, Signed, Seen<Order>* seen) {
    const int value = element != 0;
    place(value, seen);
    seen->zero += value == 0;
    add(static_cast<double>(value), seen);
  }
  __device__ static double number(Signed at) { return static_cast<double>(at); }
};
