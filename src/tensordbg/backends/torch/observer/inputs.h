// Looks at what an operation is given, before it runs.
#pragma once

#include "entering.h"
#include "numbers.h"

namespace tensordbg_torch {

// Whether it is asked to compute as its layer does while it learns.
template <typename Values>
bool is_training(const Operation& operation, const Values& values) {
  const auto place = static_cast<std::size_t>(operation.trains);
  return operation.trains >= 0 && place < values.size() && values[place].isBool() && values[place].toBool();
}

inline void look_at_inputs(const at::RecordFunction& fn, Context* context) {
  const Operation& operation = *context->operation;
  std::size_t arguments = 0;
  const auto values = last(fn.inputs(), operation.takes);
  int kept = 0;
  for (const c10::IValue& value : values) {
    const std::size_t argument = arguments++;
    const bool keeps = argument < operation.keeps.size() && operation.keeps[argument];
    const bool writes = argument < operation.writes.size() && operation.writes[argument] &&
                        !(keeps && !is_training(operation, values));
    const bool reads = argument >= operation.reads.size() || operation.reads[argument];
    const bool limit = argument < operation.limits.size() && operation.limits[argument];
    const auto give = [context, limit](double number) {  // an infinite limit is none
      context->given.push_back({nullptr, nullptr, {}, kWhole, !limit || std::isfinite(number), number});
    };
    double number = 0;
    if (argument < operation.numbers.size() && operation.numbers[argument] && is_number(value, &number)) {
      give(number);
      continue;
    }
    if (argument < operation.settings.size() && !operation.settings[argument].empty()) {
      if (node_of_thread() == nullptr) context->settings.push_back({operation.settings[argument].c_str(), value});
      continue;
    }
    each_tensor(value, [&](const at::Tensor& tensor, int place) {
      const int part = operation.of_each ? place : kWhole;
      if (is_number(tensor)) return give(number_in(tensor));
      if (!has_elements(tensor)) {
        context->wraps = true;
        if (!tensor.is_meta()) return;
        context->shapes_only = true;
        context->given.push_back({tensor.unsafeGetTensorImpl(), nullptr, {}, part});
        context->given.back().alive.emplace(tensor.getIntrusivePtr());
        return;
      }
      context->relevant = true;
      context->early = context->early || is_awaited(tensor);
      Known known = g_makers.find(tensor);
      if (known.unwritten && operation.enters) known.from_outside = true;
      if (known.from_outside) {
        known = reads && !operation.unwritten && g_step.load() >= 0
                    ? enter(tensor, context, place_of(*context))
                    : Known{};
      }
      context->given.push_back({tensor.unsafeGetTensorImpl(), storage_of(tensor), known, part});
      context->given.back().alive.emplace(tensor.getIntrusivePtr());
      if (!writes) return;
      context->written.push_back({tensor.unsafeGetTensorImpl(), std::nullopt, keeps ? kKept - kept++ : part});
      if (operation.gives == 0 || keeps) context->written.back().tensor.emplace(tensor.getIntrusivePtr());
    });
  }
}

// What this process puts into a collective operation, and where it gets something out.
inline void look_at_part(const at::RecordFunction& fn, Context* context) {
  const auto inputs = last(fn.inputs(), context->operation->takes);
  const Part part = part_in(*context->operation->collective, inputs);
  context->group = part.group;
  context->relevant = true;
  const auto at = [&](int position) { return position < 0 ? c10::IValue() : inputs[static_cast<std::size_t>(position)]; };
  if (part.puts_in) {
    each_tensor(at(part.what->takes), [&](const at::Tensor& tensor, int) {
      if (!has_elements(tensor)) return;
      Known known = find(tensor);
      if (known.from_outside) known = g_step.load() >= 0 ? enter(tensor, context, place_of(*context)) : Known{};
      context->given.push_back({tensor.unsafeGetTensorImpl(), storage_of(tensor), known});
    });
  }
  context->sending = std::make_shared<Sending>();
  if (!part.gets) return;
  std::uint16_t slot = 0;
  // Another thread may begin to write it before the operation has ended.
  each_tensor(at(part.what->gives), [&](const at::Tensor& tensor, int) {
    if (has_elements(tensor) && storage_of(tensor) != nullptr && tensor.layout() == at::kStrided) {
      Arrival arrival = arrival_of(tensor);
      arrival.slot = slot;
      arrival.sending = context->sending;
      g_makers.awaits(tensor);
      g_arrivals.add(std::move(arrival));
    }
    ++slot;
  });
}

}  // namespace tensordbg_torch
