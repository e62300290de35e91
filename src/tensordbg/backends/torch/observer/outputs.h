// Records what an operation has made, when it has ended.
#pragma once

#include "entering.h"
#include "numbers.h"
#include "parts.h"
#include "reads.h"

namespace tensordbg_torch {

// Which of the operations of its kind one is, of those that a node of autograd runs: the gradients of two operands differ.
inline int place_in_node(const Operation& operation) {
  constexpr int kMost = 3;
  Node* node = node_of_thread();
  if (node == nullptr) return -1;
  auto& done = node->done;
  const int before = static_cast<int>(std::count(done.begin(), done.end(), &operation));
  if (before < kMost) done.push_back(&operation);
  return before == 0 ? -1 : before - 1;
}

// Whose gradient or update an operation computes, as far as it is known.
inline Owner owner_of(Context* context, int part, const at::Tensor& tensor, bool written) {
  if (written) {
    if (const std::int64_t variable = g_makers.variable_of(tensor); variable != kNobody) return {variable, true};
  }
  const Thread& thread = t_thread;
  if (const Node* node = node_of_thread(); node != nullptr) return {node->variable, false};
  if (part == kWhole && (!thread.updating || !thread.modules.none())) return {};
  Owner owner;
  each_given(context, part, [&](std::size_t at) {
    const Given& given = context->given[at];
    if (owner.variable != kNobody || given.tensor == nullptr || (part != kWhole && given.part != part)) return;
    owner.variable = given.known.owner;
  });
  return owner;
}

inline const Run* run_of(const Context& context, int part) {
  if (part >= 0) {
    const auto at = static_cast<std::size_t>(part);
    const int place = at < context.run_of_part.size() ? context.run_of_part[at] : -1;
    return place < 0 ? nullptr : &context.runs[static_cast<std::size_t>(place)];
  }
  for (const Run& run : context.runs) {
    if (run.part == part) return &run;
  }
  return nullptr;
}

// The execution of an operation, or of one part of a list that it goes through; -1 where nothing is recorded.
inline Run begin(Context* context, int part, const Owner& owner) {
  if (const Run* run = run_of(*context, part); run != nullptr) return *run;
  const std::int64_t step = g_step.load();
  if (step < 0) return {};
  if (context->runs.empty()) context->place = place_in_node(*context->operation);
  const std::int64_t site = owner.variable == kNobody ? site_of(context) : site_of(context, owner);
  if (site == kPlumbing) note_read(context);
  if (site < 0) return {};
  c10::SmallVector<std::int64_t, 8> inputs, before;
  each_given(context, part, [&](std::size_t place) {
    Given& given = context->given[place];
    if (given.is_number) given.known = known_number(context, given.number, static_cast<int>(place));
    if (!given.is_number || given.known.reference != kUnknown) inputs.push_back(given.known.reference);
    if (given.known.before != kUnknown) before.push_back(given.known.before);
    before.append(given.known.more.begin(), given.known.more.end());
  });
  inputs.append(before.begin(), before.end());
  const std::int64_t execution =
      g_log->begin(static_cast<std::uint32_t>(site), step, inputs.data(), inputs.size());
  context->site = site;
  context->runs.push_back({part, site, execution, owner.variable});
  if (part >= 0) {
    const auto at = static_cast<std::size_t>(part);
    if (context->run_of_part.size() <= at) context->run_of_part.resize(at + 1, -1);
    context->run_of_part[at] = static_cast<std::int32_t>(context->runs.size()) - 1;
  }
  return context->runs.back();
}

inline const Given* shares_memory(Context* context, const at::Tensor& tensor, int part) {
  const c10::StorageImpl* storage = storage_of(tensor);
  const Given* found = nullptr;
  if (storage == nullptr) return found;
  each_given(context, part, [&](std::size_t at) {
    if (found == nullptr && context->given[at].storage == storage) found = &context->given[at];
  });
  return found;
}

inline bool is_given(Context* context, const at::Tensor& tensor, int part) {
  bool found = false;
  each_given(context, part, [&](std::size_t at) { found = found || context->given[at].tensor == tensor.unsafeGetTensorImpl(); });
  return found;
}

inline bool is_written(const Context& context, const at::Tensor& tensor, int part) {
  const auto at = static_cast<std::size_t>(part);  // where it stands if all that is written is one list
  if (part >= 0 && at < context.written.size() && context.written[at].address == tensor.unsafeGetTensorImpl()) return true;
  for (const Written& each : context.written) {
    if (each.address == tensor.unsafeGetTensorImpl()) return true;
  }
  return false;
}

inline void look_at_output(Context* context, const at::Tensor& tensor, std::uint16_t slot, int part) {
  if (!has_elements(tensor)) return;
  const Operation& operation = *context->operation;
  const bool written = is_written(*context, tensor, part);
  Maker maker;
  const bool known = g_makers.maker(tensor, &maker);
  // An operation within this one has made it; or it is handed on as it was given.
  const bool within = known && operation.composite && maker.order > context->order;
  if (within || (known && !written && maker.order <= context->order)) return;
  if (operation.unwritten || context->shapes_only || (operation.first_only && slot > 0)) return g_makers.is_unwritten(tensor);
  if (operation.rebinds) return g_makers.rebind(tensor);
  if (!written) {
    if (is_given(context, tensor, part) && !operation.rearranges) return;
    if (const Given* base = shares_memory(context, tensor, part); base != nullptr) {
      if (base->known.reference != kUnknown) g_makers.is_view(tensor, base->known);
      return;
    }
  }
  // It made nothing itself: what it calls handed on what nobody has written, say.
  if (operation.composite) return;
  if (operation.copies && !context->given.empty() && context->given.back().known.unwritten) {
    return g_makers.is_unwritten(tensor);
  }
  const Run run = begin(context, part, owner_of(context, part, tensor, written));
  if (run.execution < 0) return;
  const auto site = static_cast<std::uint32_t>(run.site);
  const bool bad = append(tensor, run.execution, site, slot, context);
  g_makers.made(tensor, Maker{run.execution << 16 | slot, site, 0, bad, run.owner});
}

// What a collective operation writes is not there yet when it ends.
inline void begin_sending(const at::RecordFunction& fn, Context* context) {
  const auto returned = last(fn.outputs(), context->operation->gives);
  if (!returned.empty()) {  // it has not failed
    const Run run = begin(context, kWhole, {});
    context->sending->execution = run.execution;
    context->sending->site = static_cast<std::uint32_t>(std::max<std::int64_t>(run.site, 0));
  }
  context->sending->begin(returned.empty() ? nullptr : &returned.back());
}

// What an operation writes beside what it returns: of a variable a site of its own tells.
inline void look_at_kept(Context* context, std::uint16_t slot) {
  const std::int64_t site = context->site;
  for (const Written& each : context->written) {
    if (each.part > kKept || !each.tensor.has_value()) continue;
    auto alive = each.tensor->lock();
    if (!alive) continue;
    const at::Tensor tensor(std::move(alive));
    const std::uint16_t place = g_makers.variable_of(tensor) == kNobody ? slot++ : 0;
    look_at_output(context, tensor, place, each.part);
  }
  context->site = site;  // a gradient is that of the operation itself
}

inline void look_at_each_output(const at::RecordFunction& fn, Context* context) {
  if (context->operation->collective != nullptr) return begin_sending(fn, context);
  if (context->operation->hands_out) return note_read(context);
  const bool of_each = context->operation->of_each;
  std::uint16_t slot = 0;
  for (const c10::IValue& value : last(fn.outputs(), context->operation->gives)) {
    each_tensor(value, [&](const at::Tensor& tensor, int place) {
      look_at_output(context, tensor, of_each ? 0 : slot, of_each ? place : kWhole);
      ++slot;
    });
  }
  // What is written without being returned, as by a fused optimizer; nothing is where an operation failed.
  if (slot != 0) return look_at_kept(context, slot);
  if (context->operation->gives > 0) return;
  int list = -1;
  for (const Written& each : context->written) {
    if (each.part <= 0) ++list;
    const auto number = static_cast<std::uint16_t>(of_each ? list : slot++);
    if (!each.tensor.has_value()) continue;
    if (auto tensor = each.tensor->lock()) look_at_output(context, at::Tensor(std::move(tensor)), number, each.part);
  }
}

inline void look_at_outputs(const at::RecordFunction& fn, Context* context) {
  if (!context->operation->of_each || !g_gpu.is_on()) return look_at_each_output(fn, context);
  std::vector<Wish> wishes;
  t_thread.wishes = &wishes;
  try {
    look_at_each_output(fn, context);
  } catch (...) {
    t_thread.wishes = nullptr;
    throw;
  }
  t_thread.wishes = nullptr;
  g_gpu.ask_for_all(std::move(wishes), record_measured);
}

}  // namespace tensordbg_torch
