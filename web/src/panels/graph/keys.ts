/** What the keys do in the graph, for the help. */
export const GRAPH_KEYS: readonly (readonly [readonly string[], string])[] = [
  [['↑', '↓'], 'along an edge to an input, or to a consumer; out of a box, or into an open one'],
  [['←', '→'], 'to the operation beside'],
  [['Enter'], 'open or close a box; choose the operation'],
  [['o'], 'open or close the functions that it calls'],
  [['m'], 'show more: its inputs and consumers that are hidden'],
  [['+', '-', '0'], 'magnify, make smaller, show all; the wheel does it too'],
];
