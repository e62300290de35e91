// What is known of an operation by its schema: which arguments it writes, and what its outputs hold.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

#include <cstring>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectives.h"

namespace tensordbg_torch {

struct Operation {
  std::string name;            // `aten::log`
  bool known = false;          // it is an operation, and no range that somebody marked
  bool unwritten = false;      // its outputs hold whatever was in their memory
  const Collective* collective = nullptr;  // several processes run it together
  bool waits = false;          // it returns when another one's outputs are there
  bool enters = false;         // it is how what Python holds becomes a tensor
  bool rearranges = false;     // it changes a tensor's shape or flags, and none of its elements
  bool rebinds = false;        // it gives a tensor other memory
  bool copies = false;         // its outputs hold the elements of an input
  bool of_each = false;        // it does the same with each of a list, and nothing with several
  std::size_t takes = 0;       // arguments
  std::size_t gives = 0;       // what it returns
  bool hands_out = false;      // it gives a number to Python
  bool first_only = false;     // its other outputs are how its gradient works, with elements that nobody has written
  bool composite = false;      // it is made of other operations, and computes nothing beside them
  bool closed = false;         // what it calls is how its kernel works: its outputs are not there before it ends
  std::vector<bool> writes;    // by argument
  std::vector<bool> reads;     // by argument: false where the old elements don't matter
  bool writes_any = false;
  std::vector<bool> keeps;     // by argument: what it writes there it doesn't return, though it returns something
  int trains = -1;             // the argument that must be true for it to write these
  std::vector<bool> numbers;   // by argument: it is a number that is computed with, and no setting
  std::vector<bool> limits;    // by argument: such a number is a limit, or compared with, so none of its own goes on
  std::vector<std::string> settings;  // by argument: its name where it is one that says how is computed, else empty
  bool is_view = false;        // all that it gives are views
  bool passes = false;         // it is a view, or made of other operations: nothing is recorded of it
  int number = 0;              // tells it from others in this process
};

inline bool begins_with(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

inline bool is_among(const std::string& name, std::initializer_list<const char*> names) {
  for (const char* each : names) {
    if (name == each) return true;
  }
  return false;
}

// Whether the old elements of what it writes don't matter.
inline bool overwrites(const std::string& name) {
  return is_among(name, {"aten::copy_", "aten::fill_", "aten::zero_", "aten::normal_", "aten::uniform_", "aten::random_",
                         "aten::bernoulli_", "aten::exponential_", "aten::log_normal_", "aten::cauchy_", "aten::geometric_",
                         "aten::eye_", "aten::set_", "aten::resize_", "aten::resize_as_", "aten::_resize_output_"});
}

// Whether an argument is a number that is computed with, as a tensor could stand there; factors such as `alpha` are not told.
inline bool is_number(const c10::Argument& argument) {
  return argument.type()->kind() == c10::TypeKind::NumberType && !argument.kwarg_only() &&
         is_among(argument.name(), {"self", "other", "exponent", "value", "fill_value", "scalar", "s"});
}

// ... or bounds that a tensor could be.
inline bool is_bound(const c10::Argument& argument) { return is_among(argument.name(), {"min", "max", "min_val", "max_val"}); }

// Operations that hold their elements against numbers: what they give is not made of these.
inline bool compares(const std::string& name) {
  return is_among(name, {"aten::eq", "aten::ne", "aten::lt", "aten::le", "aten::gt", "aten::ge"});
}

// Made of others, which compute with an infinity: this is how one asks whether numbers are finite.
inline bool tests_finiteness(const std::string& name) { return name == "aten::isfinite"; }

// Whether an argument says how is computed (an axis, an epsilon), and is no tensor and no number to compute with.
inline bool is_setting(const c10::Argument& argument) {
  c10::TypePtr type = argument.type();
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  if (const auto list = type->cast<c10::ListType>()) type = list->getElementType();
  const auto kind = type->kind();
  const bool plain = kind == c10::TypeKind::IntType || kind == c10::TypeKind::FloatType || kind == c10::TypeKind::BoolType ||
                     kind == c10::TypeKind::StringType || kind == c10::TypeKind::NumberType;
  return plain && !is_number(argument) && !is_bound(argument);
}

// A batch normalization writes its statistics, of which only some overloads tell in their schema.
inline bool updates_statistics(const std::string& name) {
  return is_among(name, {"aten::native_batch_norm", "aten::_native_batch_norm_legit", "aten::_batch_norm_with_update",
                         "aten::cudnn_batch_norm", "aten::miopen_batch_norm"});
}

inline Operation describe_operation(const at::RecordFunction& fn) {
  Operation operation;
  operation.name = fn.name();
  const auto schema = fn.operator_schema();
  if (!schema.has_value()) return operation;
  operation.known = true;
  for (const char* each : {"aten::empty", "aten::new_empty", "aten::_empty", "aten::resize", "aten::_resize",
                           "aten::_efficientzerotensor"}) {
    operation.unwritten = operation.unwritten || begins_with(operation.name, each);
  }
  operation.collective = find_collective(operation.name);
  operation.waits = operation.name == "_c10d_functional::wait_tensor";
  // What these do is seen in the operations that they are made of.
  const bool in_processes = begins_with(operation.name, "c10d::") || begins_with(operation.name, "_c10d_functional::");
  const std::string& name = operation.name;
  for (const char* each : {"aten::_foreach_", "aten::_fused_", "aten::_amp_foreach_"}) {
    operation.of_each = operation.of_each || begins_with(name, each);
  }
  operation.enters = is_among(name, {"aten::lift_fresh", "aten::detach_"});
  operation.rebinds = name == "aten::set_";
  operation.copies = is_among(name, {"aten::clone", "aten::_to_copy", "aten::copy_"});
  operation.first_only = name == "aten::_ctc_loss";
  operation.rearranges =
      operation.enters || is_among(name, {"aten::t_", "aten::transpose_", "aten::swapaxes_", "aten::swapdims_",
                                          "aten::squeeze_", "aten::unsqueeze_", "aten::as_strided_", "aten::requires_grad_"});
  for (const auto& argument : schema->arguments()) {
    const bool statistics = updates_statistics(operation.name) && is_among(argument.name(), {"running_mean", "running_var"});
    if (is_among(argument.name(), {"training", "train"})) operation.trains = static_cast<int>(operation.writes.size());
    operation.keeps.push_back(statistics);
    const bool written = statistics || (argument.alias_info() != nullptr && argument.alias_info()->isWrite() && !operation.rearranges);
    operation.writes.push_back(written);
    operation.reads.push_back(!written || !(argument.kwarg_only() || overwrites(operation.name)));
    operation.writes_any = operation.writes_any || written;
    operation.numbers.push_back(is_number(argument) || is_bound(argument));
    operation.limits.push_back(compares(operation.name) || is_bound(argument));
    operation.settings.push_back(is_setting(argument) ? argument.name() : std::string());
  }
  operation.takes = schema->arguments().size();
  operation.gives = schema->returns().size();
  operation.hands_out = is_among(name, {"aten::_local_scalar_dense", "aten::equal"});
  const auto handle = c10::Dispatcher::singleton().findSchema({schema->name(), schema->overload_name()});
  operation.composite =
      handle.has_value() && handle->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) && !tests_finiteness(name);
  bool views = !schema->returns().empty() && !operation.writes_any;
  for (const auto& returned : schema->returns()) views = views && returned.alias_info() != nullptr && !returned.alias_info()->isWrite();
  const bool special = operation.unwritten || operation.collective != nullptr || operation.enters || operation.rearranges ||
                       operation.rebinds || operation.hands_out || operation.of_each;
  operation.is_view = views && !operation.composite && !special;
  operation.passes = operation.is_view || (operation.composite && !special) || (in_processes && operation.collective == nullptr);
  // What a library brings along may call the program's own Python code.
  operation.closed = operation.collective != nullptr || (!operation.composite && begins_with(operation.name, "aten::"));
  return operation;
}

// All operations that ran, kept for good; a name's address tells an overload, as long as its text is the same.
inline const Operation* find_operation(const at::RecordFunction& fn) {
  static std::mutex mutex;
  static auto* const known = new std::unordered_map<const char*, std::vector<std::unique_ptr<const Operation>>>;
  const std::lock_guard<std::mutex> guard(mutex);
  static int count = 0;
  auto& found = (*known)[fn.name()];
  for (const auto& each : found) {
    if (std::strcmp(each->name.c_str(), fn.name()) == 0) return each.get();
  }
  Operation described = describe_operation(fn);
  described.number = ++count;
  found.push_back(std::make_unique<const Operation>(std::move(described)));
  return found.back().get();
}

// The operation that runs.
inline const Operation& operation_of(const at::RecordFunction& fn) {
  struct Seen {
    const char* name;
    const Operation* operation;
  };
  constexpr std::size_t kSeen = 1024;
  static thread_local Seen seen[kSeen];
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(fn.name()));
  Seen& here = seen[address * 0x9E3779B97F4A7C15ull >> 54];  // ten bits
  if (here.name != fn.name() || std::strcmp(here.operation->name.c_str(), fn.name()) != 0) {
    here = {fn.name(), find_operation(fn)};
  }
  return *here.operation;
}

// A call by a stack shows all that lies on it; the operation's own stands at the end.
template <typename Values>
c10::ArrayRef<c10::IValue> last(const Values& values, std::size_t count) {
  const c10::ArrayRef<c10::IValue> all(values.data(), values.size());
  return all.size() > count ? all.slice(all.size() - count) : all;
}

}  // namespace tensordbg_torch
