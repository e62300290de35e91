/** Walking a graph with the arrow keys: up to inputs, down to consumers, sideways to what stands beside. */
import type { Drawing, PlacedNode } from './layout';

export type Direction = 'up' | 'down' | 'left' | 'right';

/** The node that one comes to; undefined where there is none. */
export function walked(drawing: Drawing, from: string, direction: Direction): string | undefined {
  const here = drawing.nodes.find((each) => each.node.node === from);
  if (!here) return drawing.nodes[0]?.node.node;
  const next =
    direction === 'up' || direction === 'down' ? along(drawing, here, direction) : beside(drawing, here, direction);
  return next?.node.node;
}

/** Along an edge: the first input, or the consumer that stands nearest below; into an opened call where there is none. */
function along(drawing: Drawing, here: PlacedNode, direction: 'up' | 'down'): PlacedNode | undefined {
  const id = here.node.node;
  const ends = drawing.edges
    .filter(({ edge }) => (direction === 'up' ? edge.target : edge.source) === id)
    .sort((one, other) => one.edge.input - other.edge.input)
    .map(({ edge }) => (direction === 'up' ? edge.source : edge.target));
  const found = ends.flatMap((end) => drawing.nodes.find((each) => each.node.node === end) ?? []);
  if (direction === 'up' && found.length) return found[0];
  const inside = drawing.nodes.filter((each) => each.node.inside === id);
  return nearest(found.length ? found : inside, here) ?? nearest(rank(drawing, here, direction), here);
}

/** To the next node at about the same height. */
function beside(drawing: Drawing, here: PlacedNode, direction: 'left' | 'right'): PlacedNode | undefined {
  const sign = direction === 'left' ? -1 : 1;
  const row = drawing.nodes.filter((each) => Math.abs(each.y - here.y) < here.height && (each.x - here.x) * sign > 0);
  return nearest(row, here);
}

/** All that stand above, or below. */
function rank(drawing: Drawing, here: PlacedNode, direction: 'up' | 'down'): readonly PlacedNode[] {
  const sign = direction === 'up' ? -1 : 1;
  return drawing.nodes.filter((each) => (each.y - here.y) * sign > here.height / 2);
}

function nearest(nodes: readonly PlacedNode[], here: PlacedNode): PlacedNode | undefined {
  const apart = (each: PlacedNode): number => Math.hypot(each.x - here.x, 2 * (each.y - here.y));
  return nodes.reduce<PlacedNode | undefined>(
    (best, each) => (!best || apart(each) < apart(best) ? each : best),
    undefined,
  );
}
