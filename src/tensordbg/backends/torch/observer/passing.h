// Operations that make nothing themselves: views, and what is made of other operations.
#pragma once

#include "entering.h"

namespace tensordbg_torch {

enum class Passing { kNo, kUnseen, kDifferentiated };

// Whether an operation makes nothing. What a view shows is known by its memory, once what it is a view of is.
inline Passing look_at_passing(const at::RecordFunction& fn, const Operation& operation, const Context* around) {
  bool differentiated = false;
  bool dense = true;
  for (const c10::IValue& value : last(fn.inputs(), operation.takes)) {
    each_tensor(value, [&](const at::Tensor& tensor, int) {
      if (!has_elements(tensor)) return;
      differentiated = differentiated || (fn.seqNr() >= 0 && tensor.requires_grad());
      if (!operation.is_view) return;
      dense = dense && tensor.has_storage();
      if (!dense || !find(tensor).from_outside || g_step.load() < 0) return;
      Context context(&operation);
      context.autocast = autocast_of(around);
      enter(tensor, &context, place_of(context));
    });
  }
  return !dense ? Passing::kNo : differentiated ? Passing::kDifferentiated : Passing::kUnseen;
}

inline std::unique_ptr<at::ObserverContext> start_light(const at::RecordFunction& fn, const Operation& operation) {
  auto light = std::make_unique<Light>(&operation);
  for (const c10::IValue& value : last(fn.inputs(), operation.takes)) {
    each_tensor(value, [&](const at::Tensor& tensor, int) {
      if (has_elements(tensor)) light->given.emplace_back(tensor.getIntrusivePtr());
    });
  }
  return light;
}

// Of what passes a whole context is needed alone for what runs within, or is differentiated.
inline std::unique_ptr<at::ObserverContext> start_passing(const at::RecordFunction& fn, const Operation& operation, Passing passing) {
  const int autocast = operation.composite ? autocast_of(t_thread.innermost) : 0;
  if (passing == Passing::kUnseen && autocast == 0) return start_light(fn, operation);
  auto context = std::make_unique<Context>(&operation);
  for (const c10::IValue& value : last(fn.inputs(), operation.takes)) {
    each_tensor(value, [&](const at::Tensor& tensor, int) {
      if (!has_elements(tensor)) return;
      context->given.push_back({tensor.unsafeGetTensorImpl()});
      context->given.back().alive.emplace(tensor.getIntrusivePtr());
    });
  }
  context->around = t_thread.innermost;
  context->autocast = autocast;
  context->relevant = passing == Passing::kDifferentiated;
  context->passes = true;
  t_thread.innermost = context.get();
  return context;
}

}  // namespace tensordbg_torch
