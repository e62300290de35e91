// The parts of lists that one operation goes through, and what is given to each of them.
#pragma once

#include "running.h"

#include <vector>

namespace tensordbg_torch {

inline void find_part_places(Context* context) {
  PartPlaces& places = context->part_places;
  places.whole.clear();
  places.parts.clear();
  places.size = context->given.size();
  for (std::uint32_t at = 0; at < places.size; ++at) {
    const int part = context->given[at].part;
    if (part < 0) {
      places.whole.push_back(at);
      continue;
    }
    if (places.parts.size() <= static_cast<std::size_t>(part)) places.parts.resize(static_cast<std::size_t>(part) + 1);
    places.parts[static_cast<std::size_t>(part)].push_back(at);
  }
}

// Calls `look` with the place of all that is given to one part of a list, and of what is given to each; in order.
template <typename Look>
void each_given(Context* context, int part, Look look) {
  constexpr std::size_t kFew = 8;
  auto& given = context->given;
  if (part == kWhole || given.size() <= kFew) {
    for (std::size_t at = 0; at < given.size(); ++at) {
      if (part == kWhole || given[at].part == kWhole || given[at].part == part) look(at);
    }
    return;
  }
  if (context->part_places.size != given.size()) find_part_places(context);
  const PartPlaces& places = context->part_places;
  static const c10::SmallVector<std::uint32_t, 4> none;
  const auto& own = static_cast<std::size_t>(part) < places.parts.size() ? places.parts[static_cast<std::size_t>(part)] : none;
  std::size_t whole = 0;
  for (const std::uint32_t at : own) {
    for (; whole < places.whole.size() && places.whole[whole] < at; ++whole) look(places.whole[whole]);
    look(at);
  }
  for (; whole < places.whole.size(); ++whole) look(places.whole[whole]);
}

}  // namespace tensordbg_torch
