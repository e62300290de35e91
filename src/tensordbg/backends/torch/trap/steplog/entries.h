// The log of a step: its operations, what each was given and gave, and the memories in which that lay.
#pragma once

#include "frames.h"

#include <ATen/record_function.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "autograd.h"
#include "interpreter.h"
#include "memories.h"
#include "operations.h"
#include "stock.h"

namespace tensordbg_torch {

constexpr std::size_t kMost = 60000;  // operations of a step

enum class Kind : char { kValue, kTensor, kTensors };

// So many things that stand one behind the other in a table of all.
struct Range {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct Argument {
  Kind kind = Kind::kValue;
  Range tensors;      // one, or those of a list
  c10::IValue value;  // of a value
};

struct More {
  std::string overload;
  bool seeded = false;
  bool transparent = false;  // what it calls is noted, or it only makes a view
  std::vector<std::size_t> writes;  // arguments that it writes without saying so in its schema
};

struct Entry {
  const Operation* operation = nullptr;
  const More* more = nullptr;
  std::uint64_t stack = 0;
  std::int64_t forward = -1;  // the entry whose gradient it is part of, -2 where that is not known
  std::int64_t node = -1;     // of autograd
  int autocast = 0;
  int state = -1;             // of the random generator before it
  bool grad = false;          // some kernels keep more for the backward pass
  Range arguments;
  Range results;
};

// Which entry a node of autograd differentiates, by thread and sequence number.
struct Forward {
  std::uint64_t key = 0;
  std::uint64_t window = 0;
  std::int64_t entry = -1;
};

// Of a generator of random numbers.
struct State {
  c10::Device device;
  at::Tensor bytes;
};

struct Log {
  std::vector<Entry> entries;
  std::vector<Argument> arguments;
  std::vector<At> tensors;
  Memories memories;
  std::vector<State> states;
  std::string trouble;  // why the step can't be run again

  void clear() {
    entries.clear();
    arguments.clear();
    tensors.clear();
    memories.clear();
    states.clear();
    trouble.clear();
  }

  Range from(std::size_t first) const { return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(tensors.size() - first)}; }
};

// Never destroyed: what they hold when the process ends may be an array of Python's, which is gone by then.
inline Log& g_log = *new Log;
inline Log& g_other = *new Log;  // the one of the step before, empty
inline std::mutex g_mutex;
inline std::mutex g_other_mutex;
inline std::vector<Forward> g_forwards(kForwards);
inline std::atomic<bool> g_active{false};
inline std::atomic<bool> g_resting{false};  // between two steps, where evaluations run: only what may be differentiated counts
inline std::atomic<std::uint64_t> g_window{0};
inline PyObject* g_fail = nullptr;
inline std::atomic<std::int64_t> g_nodes{0};

struct Node {
  std::int64_t forward;
  std::int64_t number;
};

struct Context final : at::ObserverContext, FromStock<Context> {
  Entry entry;
  std::uint64_t window = 0;
  bool wraps = false;       // it is no entry itself
  std::size_t entries = 0;  // there were so many before it
};

struct Thread {
  int paused = 0;
  int closed = 0;  // kernels that are under way
  std::vector<Node> nodes;
  std::vector<std::unique_ptr<Context>> compiled;  // graphs that are under way
};
inline thread_local Thread t_thread;

inline void fail(const char* what) {
  if (g_active.exchange(false)) tell(g_fail, what);
}

}  // namespace tensordbg_torch
