// The frames of the stacks in which operations ran, by their hash: asked of Python once for each stack.
#pragma once

#include "frames.h"
#include "interpreter.h"

#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace tensordbg_torch {

inline std::mutex g_stacks_mutex;
inline std::unordered_map<std::uint64_t, PyObject*> g_stacks;

// The hash of this thread's stack, whose frames are noted. It may wait for the interpreter.
inline std::uint64_t noted_stack() {
  constexpr std::size_t kSeen = 1024;
  static thread_local std::uint64_t seen[kSeen];  // those that this thread met of late, to be found without a lock
  const std::uint64_t hash = stack_hash();
  if (seen[hash % kSeen] == hash) return hash;
  seen[hash % kSeen] = hash;
  {
    const std::lock_guard<std::mutex> guard(g_stacks_mutex);
    if (g_stacks.find(hash) != g_stacks.end()) return hash;
  }
  if (interpreter_ends()) return hash;
  const Interpreter held;
  PyObject* frames = frames_of_thread();
  if (frames == nullptr) PyErr_Clear();
  const std::lock_guard<std::mutex> guard(g_stacks_mutex);
  if (!g_stacks.emplace(hash, frames).second) Py_XDECREF(frames);
  return hash;
}

// The frames of a noted stack, borrowed; null where there are none.
inline PyObject* frames_of(std::uint64_t hash) {
  const std::lock_guard<std::mutex> guard(g_stacks_mutex);
  const auto found = g_stacks.find(hash);
  return found == g_stacks.end() ? nullptr : found->second;
}

}  // namespace tensordbg_torch
