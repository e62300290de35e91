// What one thread is about: the operations that it runs, the nodes of a backward pass, the modules that it is in.
#pragma once

#include "observing.h"

#include <c10/util/SmallVector.h>

#include <vector>

#include "autograd.h"
#include "operations.h"

namespace tensordbg_torch {

struct Context;

// A node of autograd that runs.
struct Node {
  std::int64_t forward = -1;            // the site of the operation that it differentiates
  std::int64_t variable = kNobody;      // whose gradient it adds up
  c10::SmallVector<const Operation*, 4> done;  // what it has computed so far
};

struct Thread {
  bool busy = false;
  int compiled = 0;  // calls of graphs of torch.compile that are under way, see compiled_calls.h
  bool updating = false;  // an optimizer's step is under way
  Context* innermost = nullptr;
  std::vector<Node> nodes;
  Node ended;          // the one that ran last, whose results the engine may still sum up
  bool ends = false;   // whether that may be so
  ModuleCalls modules;
  Views views;
  bool raised = false;  // what raised the exception that is on its way is noted already
  std::vector<Wish>* wishes = nullptr;  // what an operation on lists has given so far, to be measured together
  int calls = 0;        // for a debugger: operations that are under way, within each other
  bool told = false;    // ... and whether it was told of one of them
};
inline thread_local Thread t_thread;

// The node of autograd for which this thread computes; null where it does for none.
inline Node* node_of_thread() {
  Thread& thread = t_thread;
  if (!thread.nodes.empty()) return &thread.nodes.back();
  if (!thread.ends) return nullptr;
  thread.ends = engine_runs();
  return thread.ends ? &thread.ended : nullptr;
}

// While it lives, what PyTorch does in this thread is our own doing.
struct Busy {
  explicit Busy(Thread* in = &t_thread) : thread(in) { thread->busy = true; }
  ~Busy() { thread->busy = false; }
  Thread* const thread;
};

}  // namespace tensordbg_torch
