// Which operation a node of a backward pass differentiates, and whose gradient it adds up.
#pragma once

#include "entering.h"
#include "raised.h"

#include <ATen/SequenceNumber.h>

#include <unordered_set>

namespace tensordbg_torch {

// Which site computed what a node of autograd differentiates, by thread and sequence number.
struct Forward {
  std::atomic<std::uint64_t> key{0};
  std::atomic<std::uint32_t> site{0};
};
inline Forward g_forwards[kForwards];

// The first operation to end since a node of autograd was made is the one that it differentiates. Under torch.func.grad
// that is given wrappers, and has another compute.
inline void note_forward(const at::RecordFunction& fn, Context* context) {
  const std::int64_t computed = context->relevant ? context->site : context->within;
  if (context->around != nullptr && !context->around->relevant && computed >= 0) context->around->within = computed;
  const std::int64_t sequence = fn.seqNr();
  if (sequence < 0 || (!context->relevant && computed < 0)) return;
  if (static_cast<std::int64_t>(at::sequence_number::peek()) <= sequence) return;
  Forward& forward = g_forwards[static_cast<std::size_t>(sequence) % kForwards];
  const std::uint64_t key = forward_key(fn.threadId(), sequence);
  if (forward.key.load(std::memory_order_relaxed) == key) return;
  const std::int64_t site = context->relevant ? site_of(context) : computed;
  if (site < 0) return;
  forward.site.store(static_cast<std::uint32_t>(site));
  forward.key.store(key);
}

constexpr std::int64_t kSomeGradient = -2;  // in place of the forward operation's site: it is not known

// Begins a node of autograd.
inline std::unique_ptr<at::ObserverContext> on_backward(const at::RecordFunction& fn) {
  if (t_thread.raised && std::uncaught_exceptions() == 0) t_thread.raised = false;
  Node node;
  node.forward = kSomeGradient;
  if (fn.seqNr() >= 0) {
    const Forward& forward = g_forwards[static_cast<std::size_t>(fn.seqNr()) % kForwards];
    if (forward.key.load() == forward_key(fn.forwardThreadId(), fn.seqNr())) node.forward = forward.site.load();
  }
  if (const at::Tensor* variable = summed_for(fn)) node.variable = g_makers.variable_of(*variable);
  t_thread.nodes.push_back(std::move(node));
  return nullptr;
}

inline void tell_gradient(std::int64_t variable, const Maker& maker) {
  static std::mutex mutex;
  static std::unordered_set<std::uint64_t> told;
  const auto slot = static_cast<std::uint64_t>(maker.reference) & 0xFFFF;
  {
    const std::lock_guard<std::mutex> guard(mutex);
    const std::uint64_t key = mixed(static_cast<std::uint64_t>(variable) << 32 | maker.site, slot);
    if (!told.insert(mixed(key, g_started)).second) return;
  }
  if (interpreter_ends()) return;
  const Interpreter held;
  PyObject* done = PyObject_CallFunction(g_gradient, "LLL", static_cast<long long>(variable),
                                         static_cast<long long>(maker.site), static_cast<long long>(slot));
  if (done == nullptr) PyErr_Clear();
  Py_XDECREF(done);
}

// A node of autograd that has raised before it computed anything: its graph is gone, or what it needs was overwritten.
inline void note_failed_node(const at::RecordFunction& fn) {
  if (!g_on.load(std::memory_order_relaxed) || t_thread.busy || std::uncaught_exceptions() == 0) return;
  const Busy busy;
  try {
    if (!t_thread.raised) note_failure(Failure{site_of(fn.name(), stack_hash(), 0, -1)});
  } catch (...) {
    fail("an unknown fault in an error of a backward pass");
  }
}

inline void on_backward_end(const at::RecordFunction& fn, at::ObserverContext*) {
  if (t_thread.nodes.empty()) return;
  note_failed_node(fn);
  const std::int64_t variable = t_thread.nodes.back().variable;
  t_thread.ended = std::move(t_thread.nodes.back());
  t_thread.ended.variable = kNobody;
  t_thread.ends = true;
  t_thread.nodes.pop_back();
  if (variable == kNobody || !g_on.load(std::memory_order_relaxed) || g_step.load() < 0) return;
  const at::Tensor* of = summed_for(fn);
  if (of == nullptr || !of->grad().defined()) return;
  const Maker maker = g_makers.own(of->grad(), variable);
  if (maker.reference != kUnknown) tell_gradient(variable, maker);
}

}  // namespace tensordbg_torch
