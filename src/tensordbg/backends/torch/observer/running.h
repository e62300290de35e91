// An operation that runs: what it was given, what it writes, and what was recorded of it so far.
#pragma once

#include "thread.h"

#include "autocast.h"
#include <ATen/record_function.h>

#include <memory>
#include <optional>
#include <string>

#include "settings.h"
#include "stock.h"

namespace tensordbg_torch {

// An operation that has run, or one part of a list that it goes through.
struct Run {
  int part = kWhole;
  std::int64_t site = -1;
  std::int64_t execution = -1;
  std::int64_t owner = kNobody;
};

struct Given {
  const c10::TensorImpl* tensor = nullptr;
  const c10::StorageImpl* storage = nullptr;
  Known known;
  int part = kWhole;       // its place in a list of which each is computed with by itself
  bool is_number = false;  // it stands in the program's text, and becomes known when something is made of it
  double number = 0;
  std::optional<Weak> alive = std::nullopt;  // of a tensor: for the case that the operation raises
};

// A tensor that the operation writes: whoever called it holds it until it has ended.
constexpr int kKept = kWhole - 1;  // in place of a part, and what lies below: what is written beside what is returned

struct Written {
  const c10::TensorImpl* address;
  std::optional<c10::weak_intrusive_ptr<c10::TensorImpl>> tensor;  // none where the operation returns what it writes
  int part = kWhole;
};

// An operation that runs.
struct Running : at::ObserverContext {
  Running(const Operation* runs, bool is_light) : operation(runs), light(is_light), raising(std::uncaught_exceptions()) {}
  const Operation* operation;
  const bool light;
  const int raising;  // exceptions that were on their way before
};

// One of which nothing is recorded unless it raises, and where a view was made.
struct Light final : Running, FromStock<Light> {
  explicit Light(const Operation* runs) : Running(runs, true) {}
  int autocast = 0;
  c10::SmallVector<Weak, 3> given;
};

// The places of the parts of lists among what an operation was given: of a list of hundreds each part is asked for by itself.
struct PartPlaces {
  c10::SmallVector<std::uint32_t, 4> whole;  // of what is no part
  std::vector<c10::SmallVector<std::uint32_t, 4>> parts;
  std::size_t size = 0;                      // so many things are given
};

struct Context final : Running, FromStock<Context> {
  explicit Context(const Operation* runs) : Running(runs, false) {}
  Context* around = nullptr;
  int autocast = 0;  // the dtype, + 1
  std::uint64_t order = 0;
  bool relevant = false;
  std::int64_t within = -1;  // the site that has computed it, where it itself was given no elements, as under torch.func.grad
  bool passes = false;  // nothing is recorded of it, but what it is differentiated by
  bool shapes_only = false;  // it, or what it is within, takes a tensor on the meta device, and computes no elements
  bool wraps = false;  // it takes wrappers, which are taken off by an operation within
  c10::SmallVector<Given, 4> given;
  c10::SmallVector<Written, 1> written;
  Settings settings;
  std::int64_t site = -1;  // not known yet
  int place = -1;  // among the operations of its kind in a node of autograd
  c10::SmallVector<Run, 1> runs;
  std::vector<std::int32_t> run_of_part;  // its place among the runs, -1 where there is none
  PartPlaces part_places;
  std::uint64_t stack = 0;  // not known yet
  std::string group;        // of a collective operation the processes that run it
  bool early = false;       // it works on what has not come yet, so it is part of how that comes
  std::shared_ptr<Sending> sending;  // where it is a collective operation
};

// A place among the inputs of one operation, of all in a line.
inline int place_of(const Context& context) { return context.operation->number << 8 | static_cast<int>(context.given.size() & 0xFF); }

inline int autocast_of(const Context* around) {
  if (const int dtype = autocast_now(); dtype != 0) return dtype;
  // An operation that autocast calls runs with it switched off.
  return around == nullptr ? 0 : around->autocast;
}

// Whether what runs now is part of a kernel, whose results count alone.
inline bool is_closed(const Context* around) { return around != nullptr && around->operation->closed && !around->wraps; }

}  // namespace tensordbg_torch
