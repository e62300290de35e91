#include "tensorflow/session_names.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace tensordbg {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The name without the parts that only number the inlined calls: `while/body/_7/Log` is `while/body/Log`.
std::string without_call_numbers(std::string_view name) {
  std::string result;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    if (part.front() != '_' || !is_number(part.substr(1))) {
      if (!result.empty()) result += '/';
      result += part;
    }
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return result;
}

// A constant that took a node's place: `<node>/_<number>__cf__<number>`. It does not tell which output it is.
bool folded(std::string_view name, std::string* node) {
  const std::size_t mark = name.rfind("__cf__");
  const std::size_t part = name.rfind('/');
  if (mark == std::string_view::npos || part == std::string_view::npos || part > mark) return false;
  if (!is_number(name.substr(mark + 6)) || name[part + 1] != '_') return false;
  *node = without_call_numbers(name.substr(0, part));
  return true;
}

// What the run's description calls a node of the graph as it runs: a fed tensor is `_arg_<node>_<slot>_<number>` there,
// and a chain of operations that was fused bears the name of the last.
std::string described_name(std::string_view name) {
  constexpr std::string_view kFused = "/unary_ops_composition";
  if (ends_with(name, kFused)) name.remove_suffix(kFused.size());
  if (name.substr(0, 5) == "_arg_") return std::string(name.substr(0, name.rfind('_')));
  return without_call_numbers(name);
}

}  // namespace

std::optional<WatchedTensor> watched_tensor(tensorflow::TF_StringView whole) {
  constexpr std::string_view kBegin = "__dbg_";
  const std::string_view name(whole.data, whole.len);
  const std::size_t colon = name.rfind(':');
  if (name.substr(0, kBegin.size()) != kBegin || colon == std::string_view::npos) return std::nullopt;
  const std::string node(name.substr(kBegin.size(), colon - kBegin.size()));
  const bool fed = node.rfind("_arg_", 0) == 0;
  return WatchedTensor{node, fed ? 0 : std::atoi(std::string(name.substr(colon + 1)).c_str())};
}

std::vector<Guess> described_names(const std::string& node) {
  std::vector<Guess> guesses{{node}, {described_name(node)}};
  std::string constant_for;
  if (folded(node, &constant_for)) guesses.push_back({constant_for, true});
  return guesses;
}

}  // namespace tensordbg
