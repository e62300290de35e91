// What the check knows of the operations that run, in each thread and of their tensors.
#pragma once

#include <ATen/record_function.h>
#include <c10/util/SmallVector.h>

#include <atomic>
#include <vector>

#include "choosing_nodes.h"
#include "gpu_finite.h"
#include "kinds.h"
#include "states.h"

namespace tensordbg_torch {

inline std::atomic<bool> g_on{false};
inline States g_states;
inline GpuFinite g_numbers;
inline HandedOn g_handed_on;

// A node of autograd that runs.
struct Node {
  std::uint64_t forward;      // the key of what it differentiates
  bool of_pytorch;            // it calls no Python
  bool chooses;               // among the elements of what it is given
  std::vector<Held> waiting;  // findings within it that are told if they are there at its end
};

struct Thread {
  bool busy = false;
  int closed = 0;              // kernels that are under way
  std::vector<Node> backward;  // the nodes of autograd that run
  std::uint64_t ended = 0;     // ... that has run last: what it gave is made to fit behind it
};
inline thread_local Thread t_thread;

// A tensor that an operation takes: whoever called it holds it until it has ended, but where it took it from a stack.
struct Given {
  c10::weak_intrusive_ptr<c10::TensorImpl> tensor;
  int place;
  bool written;
};

struct Context : at::ObserverContext {
  const Checked* operation = nullptr;
  bool closes = false;
  bool shapes_only = false;      // it takes a tensor on the meta device, and computes no elements
  bool infinite_number = false;  // it takes an infinity that stands in the program's text
  c10::SmallVector<Given, 4> given;
};

}  // namespace tensordbg_torch
