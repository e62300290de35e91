// Memory for what lives as long as an operation runs, given back to a stock of the thread instead of to the allocator.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace tensordbg_torch {

// A base class: objects of `Of`, and of no class derived from it, come from the stock.
template <typename Of>
class FromStock {
 public:
  static void* operator new(std::size_t size) {
    Stock& stock = mine();
    if (stock.free.empty()) return ::operator new(size);
    void* memory = stock.free.back();
    stock.free.pop_back();
    return memory;
  }
  static void operator delete(void* memory) {
    Stock& stock = mine();
    if (stock.ended || stock.free.size() >= kMost) return ::operator delete(memory);
    stock.free.push_back(memory);
  }

 private:
  static constexpr std::size_t kMost = 64;
  struct Stock {
    Stock() { free.reserve(kMost); }
    ~Stock() {
      for (void* each : free) ::operator delete(each);
      free.clear();
      ended = true;
    }
    std::vector<void*> free;
    bool ended = false;
  };
  static Stock& mine() {
    static thread_local Stock stock;
    return stock;
  }
};

}  // namespace tensordbg_torch
