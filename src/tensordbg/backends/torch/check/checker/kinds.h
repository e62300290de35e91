// What a check has to know of an operation by its schema: whether it computes anything, and whether it only moves elements.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "operations.h"

namespace tensordbg_torch {

enum class Kind {
  kIgnored,   // it computes nothing: a view, or made of others, each of which is looked at
  kQuiet,     // it and all that it calls may take and make what it likes: it asks whether numbers are finite
  kMoves,     // its outputs hold elements of its inputs, and nothing else
  kConverts,  // ... in another type, perhaps, in which they may overflow
  kComputes,
};

struct Checked {
  std::string name;
  Kind kind = Kind::kIgnored;
  bool of_each = false;
  bool reads = false;        // it gives a number to Python
  bool asks_shape = false;   // it takes no element of what it is given
  bool first_only = false;   // its other outputs are of no use to the program
  bool zeroes_infinity = false;  // its last argument tells that whoever called it puts zeros in the place of infinities
  std::size_t takes = 0;
  std::size_t gives = 0;
  std::vector<bool> writes;  // by argument
};

// `aten::masked_fill_` is `masked_fill`.
inline std::string bare(const std::string& name) {
  std::string base = begins_with(name, "aten::") ? name.substr(6) : name;
  if (!base.empty() && base.back() == '_') base.pop_back();
  return base;
}

inline bool asks_for_finite(const std::string& base) {
  return is_among(base, {"isfinite", "isinf", "isnan", "isposinf", "isneginf", "isreal", "isclose", "allclose", "equal",
                         "nan_to_num", "nansum", "nanmean", "nanmedian", "nanquantile", "_amp_foreach_non_finite_check_and_unscale",
                         "_amp_update_scale", "_local_scalar_dense", "_is_all_true", "is_nonzero"});
}

inline bool moves(const std::string& base) {
  return is_among(
      base, {"clone", "cat", "stack", "index", "index_put", "_index_put_impl", "_unsafe_index", "_unsafe_index_put",
             "index_select", "index_copy", "index_fill", "gather", "scatter", "masked_fill", "masked_scatter", "masked_select",
             "where", "take", "put", "roll", "flip", "rot90", "repeat", "tril", "triu", "fill", "full", "full_like", "new_full",
             "constant_pad_nd", "reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d",
             "replication_pad2d", "replication_pad3d", "embedding", "sort", "topk", "kthvalue", "unique", "_unique2",
             "unique_consecutive", "unique_dim", "lift", "lift_fresh", "_pack_padded_sequence", "pixel_shuffle",
             "pixel_unshuffle", "channel_shuffle", "block_diag", "diag_embed", "select_scatter", "slice_scatter",
             "diagonal_scatter", "as_strided_scatter", "select_backward", "slice_backward", "unfold", "unfold_copy",
             "_foreach_copy", "split_copy", "unbind_copy", "_reshape_copy", "expand_copy", "view_copy", "scalar_tensor",
             "maximum", "minimum", "fmax", "fmin", "resolve_conj", "resolve_neg", "_to_dense", "nonzero", "_nested_tensor_from_tensor_list",
             "_nested_tensor_from_mask", "max_pool2d_with_indices", "real", "imag", "narrow_copy", "permute_copy"});
}

inline bool is_view(const c10::FunctionSchema& schema, const std::string& base) {
  if (is_among(base, {"_unsafe_view", "unsafe_split", "unsafe_split_with_sizes", "unsafe_chunk", "_reshape_alias"})) return true;
  if (schema.returns().empty()) return false;
  for (const auto& given : schema.returns()) {
    if (given.alias_info() == nullptr || given.alias_info()->isWrite()) return false;
  }
  return true;
}

inline Kind kind_of(const c10::FunctionSchema& schema, const Operation& operation, const std::string& base) {
  if (asks_for_finite(base)) return Kind::kQuiet;
  if (operation.composite || operation.unwritten || operation.collective != nullptr || operation.waits || operation.rebinds) return Kind::kIgnored;
  if (moves(base)) return Kind::kMoves;
  if (operation.rearranges || is_view(schema, base)) return Kind::kIgnored;
  return is_among(base, {"_to_copy", "copy", "to_dense"}) ? Kind::kConverts : Kind::kComputes;
}

inline Checked describe_checked(const at::RecordFunction& fn) {
  Checked checked;
  const Operation operation = describe_operation(fn);
  checked.name = operation.name;
  if (!operation.known) return checked;
  const auto schema = fn.operator_schema();
  const std::string base = bare(operation.name);
  checked.kind = kind_of(*schema, operation, base);
  checked.of_each = operation.of_each;
  checked.reads = is_among(base, {"_local_scalar_dense", "is_nonzero"});
  checked.asks_shape = begins_with(base, "new_") || (base.size() > 5 && base.compare(base.size() - 5, 5, "_like") == 0);
  checked.first_only = operation.first_only || begins_with(base, "_scaled_dot_product") ||
                       begins_with(base, "_flash_attention") || begins_with(base, "_efficient_attention");
  checked.takes = operation.takes;
  checked.zeroes_infinity = !schema->arguments().empty() && schema->arguments().back().name() == "zero_infinity";
  checked.gives = operation.gives;
  checked.writes = operation.writes;
  return checked;
}

// The operation that runs. A name's address tells an overload, as long as its text is the same.
inline const Checked& checked_of(const at::RecordFunction& fn) {
  thread_local std::unordered_map<const char*, std::unique_ptr<const Checked>> known;
  auto& found = known[fn.name()];
  if (found == nullptr || std::strcmp(found->name.c_str(), fn.name()) != 0) {
    found = std::make_unique<const Checked>(describe_checked(fn));
  }
  return *found;
}

}  // namespace tensordbg_torch
