/** Where everything stands: inputs above, consumers below, by dagre. */
import { layout as arrange, graphlib } from '@dagrejs/dagre';
import type { EdgeView, NodeView } from '../../api/types';
import { type Box, type Boxed, boxed } from './boxes';
import { edgeKey, type Neighbourhood } from './neighbourhood';
import { edgeLabel, typeWords } from './words';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle by its middle. */
export interface Area extends Point {
  readonly width: number;
  readonly height: number;
}

export interface PlacedNode extends Area {
  readonly node: NodeView;
}

export interface PlacedBox extends Area {
  readonly box: Box;
  /** How many boxes are around it. */
  readonly depth: number;
}

export interface PlacedEdge {
  readonly edge: EdgeView;
  readonly points: readonly Point[];
  /** Where its label stands; none where there are too many to be read. */
  readonly label: Point | undefined;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly boxes: readonly PlacedBox[];
  readonly edges: readonly PlacedEdge[];
}

export const NODE_HEIGHT = 42;
const CHARACTER = 6.6;
/** With more edges than this their labels would be larger than the graph. */
const MOST_LABELS = 45;

/** How wide a node is: as its words are, within bounds. */
export function nodeWidth(node: NodeView): number {
  const words = Math.max(typeWords(node).length + 4, node.title.length);
  return Math.min(Math.max(words * CHARACTER + 20, 84), 230);
}

/** dagre gives up on some graphs with boxes ("not possible to find intersection"); then another way is taken. */
const WAYS: readonly { readonly ranker: string; readonly inBoxes: boolean }[] = [
  { ranker: 'tight-tree', inBoxes: true },
  { ranker: 'network-simplex', inBoxes: true },
  { ranker: 'tight-tree', inBoxes: false },
];

/** Places all. The same neighbourhood is always placed alike. */
export function placed(shown: Neighbourhood): Drawing {
  let fault: unknown;
  for (const way of WAYS) {
    try {
      return arranged(shown, way.ranker, way.inBoxes ? boxed(shown.nodes) : { boxes: [], boxOf: new Map() });
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}

function arranged(shown: Neighbourhood, ranker: string, { boxes, boxOf }: Boxed): Drawing {
  const graph = new graphlib.Graph({ compound: true, multigraph: true });
  const labelled = shown.edges.length <= MOST_LABELS;
  const ranksep = labelled ? 26 : 44;
  graph.setGraph({ rankdir: 'TB', ranker, nodesep: 20, edgesep: 10, ranksep, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) graph.setNode(boxId(box.id), {});
  for (const box of boxes) if (box.parent) graph.setParent(boxId(box.id), boxId(box.parent));
  for (const node of shown.nodes) {
    graph.setNode(node.node, { width: nodeWidth(node), height: NODE_HEIGHT });
    const box = boxOf.get(node.node);
    if (box) graph.setParent(node.node, boxId(box));
  }
  const named = new Map(shown.nodes.map((node) => [node.node, node]));
  const drawn = shown.edges.filter((edge) => named.has(edge.source) && named.has(edge.target));
  const told = labelled ? labelledEdges(drawn, shown.centre) : new Set<EdgeView>();
  for (const edge of drawn) {
    const size = told.has(edge) ? labelSize(edge, named.get(edge.source)) : {};
    graph.setEdge(edge.source, edge.target, size, edgeKey(edge));
  }
  arrange(graph);
  return read(graph, shown, boxes, drawn);
}

/** One edge of each tensor, that to the chosen operation if there is one: all of them carry the same. */
function labelledEdges(edges: readonly EdgeView[], centre: string): ReadonlySet<EdgeView> {
  const chosen = new Map<string, EdgeView>();
  for (const edge of edges) {
    const tensor = `${edge.source}:${edge.slot}`;
    if (!chosen.has(tensor) || edge.target === centre) chosen.set(tensor, edge);
  }
  return new Set(chosen.values());
}

function labelSize(edge: EdgeView, source: NodeView | undefined): object {
  // Two more characters are for the sign of a bad one.
  const length = edgeLabel(edge, source).length + (edge.bad ? 2 : 0);
  return { width: length * 5.8 + 10, height: 14, labelpos: 'c' };
}

function read(graph: graphlib.Graph, shown: Neighbourhood, boxes: readonly Box[], drawn: readonly EdgeView[]): Drawing {
  const parents = new Map(boxes.map((box) => [box.id, box.parent]));
  const depth = (id: string): number => {
    const parent = parents.get(id);
    return parent ? 1 + depth(parent) : 0;
  };
  const { width, height } = graph.graph() as { width: number; height: number };
  return {
    width,
    height,
    nodes: shown.nodes.map((node) => ({ node, ...area(graph.node(node.node)) })),
    boxes: boxes
      .map((box) => ({ box, depth: depth(box.id), ...area(graph.node(boxId(box.id))) }))
      .sort((one, other) => one.depth - other.depth),
    edges: drawn.map((edge) => {
      const { points, x, y } = graph.edge(edge.source, edge.target, edgeKey(edge)) as {
        points: Point[];
        x?: number;
        y?: number;
      };
      return { edge, points, label: x === undefined || y === undefined ? undefined : { x, y } };
    }),
  };
}

/** A smooth path through points. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const parts = [`M${round(first.x)} ${round(first.y)}`];
  rest.forEach((point, index) => {
    const next = rest[index + 1];
    if (!next) parts.push(`L${round(point.x)} ${round(point.y)}`);
    else {
      const [x, y] = [(point.x + next.x) / 2, (point.y + next.y) / 2];
      parts.push(`Q${round(point.x)} ${round(point.y)} ${round(x)} ${round(y)}`);
    }
  });
  return parts.join(' ');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function area(label: unknown): Area {
  const { x, y, width, height } = label as Area;
  return { x, y, width, height };
}

/** Names of boxes and of nodes are kept apart. */
function boxId(id: string): string {
  return `box\n${id}`;
}
