// What a step's log asks of an operation beyond what a recording does.
#pragma once

#include <ATen/ATen.h>

#include <algorithm>
#include <unordered_map>

#include "entries.h"

namespace tensordbg_torch {

inline const More* find_more(const at::RecordFunction& fn, const Operation& operation) {
  static std::mutex mutex;
  static auto* const known = new std::unordered_map<const Operation*, std::unique_ptr<More>>;
  const std::lock_guard<std::mutex> guard(mutex);
  auto& found = (*known)[&operation];
  if (!found) {
    found = std::make_unique<More>();
    if (const auto schema = fn.operator_schema(); schema.has_value()) {
      found->overload = schema->overload_name();
      const auto handle = c10::Dispatcher::singleton().findSchema({schema->name(), schema->overload_name()});
      found->seeded = handle.has_value() && handle->hasTag(at::Tag::nondeterministic_seeded);
    }
    found->transparent = operation.composite || operation.is_view || operation.rearranges || operation.enters ||
                         operation.rebinds || !begins_with(operation.name, "aten::");
    if (is_among(operation.name, {"aten::native_batch_norm", "aten::cudnn_batch_norm"})) found->writes = {3, 4};
    if (operation.name == "aten::_cudnn_rnn") found->writes = {15};  // the state from which it draws its dropout
  }
  return found.get();
}

inline const More& more_of(const at::RecordFunction& fn, const Operation& operation) {
  static thread_local std::vector<const More*> seen;  // by the operation's number, so that no lock is taken
  const auto number = static_cast<std::size_t>(operation.number);
  if (number >= seen.size()) seen.resize(number + 64);
  if (seen[number] == nullptr) seen[number] = find_more(fn, operation);
  return *seen[number];
}

inline bool writes(const Entry& entry, std::size_t argument) {
  const Operation& operation = *entry.operation;
  if (argument < operation.writes.size() && operation.writes[argument]) return true;
  const auto& more = entry.more->writes;
  return std::find(more.begin(), more.end(), argument) != more.end();
}

}  // namespace tensordbg_torch
