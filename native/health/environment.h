// The floating-point environment. Frameworks run their threads with subnormals flushed to zero, and a program may
// unmask floating-point traps; the kernel must see subnormals, and must not trap or leave flags behind.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tensordbg {

#if defined(__x86_64__)

class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~DefaultFloatEnvironment() { _mm_setcsr(saved_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  unsigned saved_;
};

#elif defined(__aarch64__)

class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    asm volatile("mrs %0, fpcr" : "=r"(saved_control_));
    asm volatile("mrs %0, fpsr" : "=r"(saved_status_));
    asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
  }
  ~DefaultFloatEnvironment() {
    asm volatile("msr fpsr, %0" : : "r"(saved_status_));
    asm volatile("msr fpcr, %0" : : "r"(saved_control_));
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::uint64_t saved_control_;
  std::uint64_t saved_status_;
};

#else

class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {}
  ~DefaultFloatEnvironment() {}
};

#endif

}  // namespace tensordbg
