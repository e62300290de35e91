/** Which nodes of a graph are shown: joined from several answers, and no more than can be drawn and read. */
import type { EdgeView, GraphView, NodeView } from '../../api/types';

/** So many operations are drawn at most: placing more of them would keep a person waiting. */
export const MOST = 100;

export interface Neighbourhood {
  readonly nodes: readonly NodeView[];
  readonly edges: readonly EdgeView[];
  readonly centre: string;
  /** How many operations were left out because there are too many. */
  readonly left: number;
}

/** Names an edge. */
export function edgeKey(edge: EdgeView): string {
  return `${edge.source}:${edge.slot}>${edge.target}:${edge.input}`;
}

/** The answers joined: the first names the centre, and what it says of a node holds. */
export function joined(views: readonly GraphView[]): Neighbourhood | undefined {
  const [first] = views;
  if (!first) return undefined;
  const nodes = new Map<string, NodeView>();
  const edges = new Map<string, EdgeView>();
  for (const view of views) {
    if (view.function !== first.function) continue;
    for (const node of view.nodes) nodes.set(node.node, better(nodes.get(node.node), node));
    for (const edge of view.edges) edges.set(edgeKey(edge), edges.get(edgeKey(edge)) ?? edge);
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()], centre: first.centre, left: 0 };
}

/** The nodes nearest to the centre, along the edges; those in opened calls come with the call. */
export function limited(all: Neighbourhood, most = MOST): Neighbourhood {
  if (all.nodes.length <= most) return all;
  const distance = distances(all);
  const far = Number.POSITIVE_INFINITY;
  const near = [...all.nodes].sort((one, other) => (distance.get(one.node) ?? far) - (distance.get(other.node) ?? far));
  const kept = new Set(near.slice(0, most).map((node) => node.node));
  const edges = all.edges.filter((edge) => kept.has(edge.source) && kept.has(edge.target));
  const lost = (of: 'source' | 'target', other: 'source' | 'target', node: string): number =>
    new Set(all.edges.filter((edge) => edge[of] === node && !kept.has(edge[other])).map((edge) => edge[other])).size;
  const nodes = all.nodes
    .filter((node) => kept.has(node.node))
    .map((node) => ({
      ...node,
      hidden_inputs: node.hidden_inputs + lost('target', 'source', node.node),
      hidden_consumers: node.hidden_consumers + lost('source', 'target', node.node),
    }));
  return { nodes, edges, centre: all.centre, left: all.nodes.length - kept.size };
}

/** How many edges each node is away from the centre. */
export function distances({ nodes, edges, centre }: Neighbourhood): ReadonlyMap<string, number> {
  const beside = new Map<string, string[]>();
  const join = (one: string, other: string): void => {
    beside.set(one, [...(beside.get(one) ?? []), other]);
  };
  for (const { source, target } of edges) {
    join(source, target);
    join(target, source);
  }
  // What is inside an opened call is as near as the call.
  for (const { node, inside } of nodes) if (inside) join(inside, node);
  const found = new Map([[centre, 0]]);
  const queue = [centre];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const other of beside.get(next) ?? []) {
      if (found.has(other)) continue;
      found.set(other, (found.get(next) ?? 0) + 1);
      queue.push(other);
    }
  }
  return found;
}

/** What two answers say of a node: the first, but the fewer hidden neighbours. */
function better(known: NodeView | undefined, other: NodeView): NodeView {
  if (!known) return other;
  return {
    ...known,
    event: known.event ?? other.event,
    hidden_inputs: Math.min(known.hidden_inputs, other.hidden_inputs),
    hidden_consumers: Math.min(known.hidden_consumers, other.hidden_consumers),
  };
}
