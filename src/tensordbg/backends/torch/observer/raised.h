// Where an operation has raised: what it was given, and where the views among that were made.
#pragma once

#include "measured.h"
#include "sites.h"

#include <optional>

namespace tensordbg_torch {

// Says where a view was made of which it is one.
template <typename Site>
void note_view(const at::RecordFunction& fn, const Weak* of, Site site) {
  const auto alive = of == nullptr ? c10::intrusive_ptr<c10::TensorImpl>() : of->lock();
  if (!alive) return;
  const at::Tensor given(alive);
  if (given.is_nested()) return;
  const std::int64_t made_at = site();
  if (made_at < 0) return;
  for (const c10::IValue& value : last(fn.outputs(), 1)) {
    each_tensor(value, [&](const at::Tensor& view, int) {
      if (has_elements(view) && !view.is_nested()) t_thread.views.made(view, given, made_at);
    });
  }
}

// To ask a tensor for its shape may run Python, which can't run while an exception is set: a tensor that stands for another,
// as Dynamo's do, is an object of Python's. It is set, also where the interpreter's lock is not held by now.
struct RaisedAside {
  RaisedAside() {
    if (!interpreter_ends()) held.emplace();
  }
  std::optional<Interpreter> held;
};

// What an operation was given that has raised; the innermost one ends first.
inline void note_failure(Failure failure) {
  failure.step = g_log->recording() == 0 ? -1 : g_step.load();
  if (failure.site >= 0) g_failures.add(std::move(failure));
  t_thread.raised = true;
}

inline void note_failure(Context* context) {
  const RaisedAside aside;
  Failure failure{site_of(context)};
  for (const Given& given : context->given) {
    if (given.alive.has_value()) failure.given.push_back(refused(*given.alive, given.known));
  }
  note_failure(std::move(failure));
}

inline void end_light(const at::RecordFunction& fn, const Light& light) {
  const char* const name = light.operation->name.c_str();
  if (raises(light.raising)) {
    if (t_thread.raised) return;
    const RaisedAside aside;
    Failure failure{site_of(name, stack_hash(), light.autocast, -1)};
    for (const Weak& given : light.given) failure.given.push_back(refused(given, {}));
    return note_failure(std::move(failure));
  }
  if (light.operation->is_view) note_view(fn, light.given.empty() ? nullptr : &light.given.front(), [&] {
    return site_of(name, stack_hash(), light.autocast, -1);
  });
}

}  // namespace tensordbg_torch
