/**
 * Where everything of a whole graph stands. Each open box is laid out by itself, by dagre, and then stands in the box
 * around it like one large operation. So it takes no longer for being a part of something large, and opening a box moves
 * only what is around it.
 */
import { layout as arrange, graphlib } from '@dagrejs/dagre';
import type { BoxView, BundleView, NodeView, WholeView } from '../../../api/types';
import { type Area, NODE_HEIGHT, nodeWidth, type Point } from '../layout';
import { type Level, withSpine } from './spine';
import { type Way, wayOf } from './way';
import { boxTitle, bundleLabel, insideWords } from './words';

/** An operation, a closed box, or an open one. */
export interface PlacedThing extends Area {
  readonly id: string;
  readonly inside: string;
  readonly node: NodeView | undefined;
  readonly box: BoxView | undefined;
  /** Bundles that come into it from outside of the box around it, and that leave that box. */
  readonly entering: BundleView | undefined;
  readonly leaving: BundleView | undefined;
}

export interface PlacedBundle {
  readonly bundle: BundleView;
  readonly points: readonly Point[];
  readonly label: Point | undefined;
  /** Whether it lies on the way from the origin. */
  readonly onWay: boolean;
}

export interface WholeDrawing {
  readonly width: number;
  readonly height: number;
  /** Each box before what is in it. */
  readonly things: readonly PlacedThing[];
  /** Those on the way from the origin last, and so above all others. */
  readonly bundles: readonly PlacedBundle[];
  /** The room that the way from the origin takes; undefined where there is none. */
  readonly way: Area | undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export const HEADER = 26;
const MARGIN = 16;
const GAP = 26;
const CHARACTER = 6.6;
const BOLD = 7.4;
/** With more bundles than this in one box, only those of several tensors have a label. */
const MOST_LABELS = 30;
/** How much wider than high what has no edges between is packed. */
const ASPECT = 1.8;
/** How much shorter than others the edges of the way from the origin are kept. */
const SHORT = 200;

/** Places all. The same answer is always placed alike. */
export function placedWhole(view: WholeView): WholeDrawing {
  return new Placing(view).drawing();
}

class Placing {
  private readonly children = new Map<string, string[]>();
  private readonly boxes: Map<string, BoxView>;
  private readonly nodes: Map<string, NodeView>;
  private readonly flows = new Map<string, BundleView[]>();
  private readonly entering = new Map<string, BundleView>();
  private readonly leaving = new Map<string, BundleView>();
  private readonly levels = new Map<string, Level>();
  private readonly way: Way;

  constructor(view: WholeView) {
    this.way = wayOf(view);
    this.boxes = new Map(view.boxes.map((box) => [box.box, box]));
    this.nodes = new Map(view.nodes.map((node) => [node.node, node]));
    for (const { box, inside } of view.boxes) push(this.children, inside, box);
    for (const { node, inside } of view.nodes) push(this.children, inside, node);
    for (const bundle of view.bundles) {
      if (!bundle.source) this.entering.set(bundle.target, bundle);
      else if (!bundle.target) this.leaving.set(bundle.source, bundle);
      else push(this.flows, bundle.box, bundle);
    }
    // What is in a box comes after it, so that its size is known when it is placed itself.
    for (const box of [...view.boxes].reverse()) if (box.opened) this.levels.set(box.box, this.level(box.box));
    this.levels.set('', this.level(''));
  }

  drawing(): WholeDrawing {
    const things: PlacedThing[] = [];
    const bundles: PlacedBundle[] = [];
    const put = (box: string, left: number, top: number): void => {
      const level = this.levels.get(box);
      if (!level) return;
      const moved = (point: Point): Point => ({ x: point.x + left, y: point.y + top });
      for (const each of level.bundles) bundles.push(movedBundle(each, moved));
      for (const id of this.children.get(box) ?? []) {
        const at = level.at.get(id);
        if (!at) continue;
        const area = { ...moved(at), ...this.size(id) };
        const ends = { entering: this.entering.get(id), leaving: this.leaving.get(id) };
        things.push({ id, inside: box, node: this.nodes.get(id), box: this.boxes.get(id), ...ends, ...area });
        if (this.levels.has(id)) put(id, area.x - area.width / 2, area.y - area.height / 2 + HEADER);
      }
    };
    put('', 0, 0);
    const { width, height } = this.levels.get('') ?? { width: 0, height: 0 };
    bundles.sort((one, other) => Number(one.onWay) - Number(other.onWay));
    return { width, height, things, bundles, way: this.roomOfWay(things) };
  }

  /** Around what is on the way, and what it was made from; of an open box what is on the way in it. */
  private roomOfWay(things: readonly PlacedThing[]): Area | undefined {
    const inputs = [...this.way.joints].flatMap(({ source, target }) => (this.way.things.has(target) ? [source] : []));
    const wanted = new Set([...this.way.things, ...inputs]);
    const on = things.filter(({ id, box }) => wanted.has(id) && !box?.opened);
    if (!on.length) return undefined;
    const left = Math.min(...on.map(({ x, width }) => x - width / 2));
    const right = Math.max(...on.map(({ x, width }) => x + width / 2));
    const top = Math.min(...on.map(({ y, height }) => y - height / 2));
    const bottom = Math.max(...on.map(({ y, height }) => y + height / 2));
    return { x: (left + right) / 2, y: (top + bottom) / 2, width: right - left, height: bottom - top };
  }

  private size(id: string): Size {
    const box = this.boxes.get(id);
    const node = this.nodes.get(id);
    if (node) return { width: nodeWidth(node), height: NODE_HEIGHT };
    if (!box) return { width: 0, height: 0 };
    const title = boxTitle(box).length * BOLD;
    const inside = (insideWords(box).length + 2) * CHARACTER;
    const words = Math.max(title, inside) + 48;
    const level = this.levels.get(id);
    if (!level) return { width: Math.min(Math.max(words, 110), 260), height: NODE_HEIGHT + 4 };
    return { width: Math.max(level.width, Math.min(title + inside + 70, 440)), height: level.height + HEADER };
  }

  /** Lays out what is in a box: what is joined by edges together, and such groups side by side in rows. */
  private level(box: string): Level {
    const things = this.wayFirst(this.children.get(box) ?? []);
    const flows = this.flows.get(box) ?? [];
    const groups = joinedGroups(things, flows).map((group) => this.group(group, flows));
    const at = new Map<string, Point>();
    const bundles: PlacedBundle[] = [];
    const packed = inRows(groups);
    packed.places.forEach(({ x, y }, index) => {
      const group = groups[index];
      if (!group) return;
      const moved = (point: Point): Point => ({ x: point.x + x, y: point.y + y });
      for (const [id, point] of group.at) at.set(id, moved(point));
      for (const each of group.bundles) bundles.push(movedBundle(each, moved));
    });
    return { width: packed.width, height: packed.height, at, bundles };
  }

  /** What is on the way from the origin first: dagre puts it on the left, and rows begin with it. */
  private wayFirst(things: readonly string[]): readonly string[] {
    const { trunk } = this.way;
    return [...things.filter((each) => trunk.has(each)), ...things.filter((each) => !trunk.has(each))];
  }

  private group(things: readonly string[], flows: readonly BundleView[]): Level {
    const known = new Set(things);
    const own = flows.filter(({ source }) => known.has(source));
    const graph = new graphlib.Graph({ multigraph: true });
    graph.setGraph({ rankdir: 'TB', ranker: 'tight-tree', nodesep: 22, edgesep: 12, ranksep: 30 });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const id of things) graph.setNode(id, { ...this.size(id) });
    const all = own.length <= MOST_LABELS;
    for (const bundle of own) {
      const label = all || bundle.tensors > 1 ? bundleLabel(bundle) : '';
      const size = label ? { width: label.length * 5.8 + 8, height: 13, labelpos: 'c' } : {};
      graph.setEdge(bundle.source, bundle.target, { ...size, weight: this.weight(bundle) });
    }
    arrange(graph);
    const { width, height } = graph.graph() as Size;
    const at = new Map(things.map((id) => [id, point(graph.node(id) as Point)]));
    const bundles = own.map((bundle) => {
      const edge = graph.edge(bundle.source, bundle.target) as { points: Point[]; x?: number; y?: number };
      const label = edge.x === undefined || edge.y === undefined ? undefined : { x: edge.x, y: edge.y };
      return { bundle, points: edge.points, label, onWay: this.way.bundles.has(bundle) };
    });
    const areas = new Map(things.map((id) => [id, { ...(graph.node(id) as Area) }]));
    return withSpine({ width, height, at, bundles }, areas, this.way);
  }

  private weight(bundle: BundleView): number {
    return (1 + Math.log10(bundle.tensors)) * (this.way.joints.has(bundle) ? SHORT : 1);
  }
}

/** Things between which there is a way along bundles, whatever their direction. */
export function joinedGroups(things: readonly string[], flows: readonly BundleView[]): readonly (readonly string[])[] {
  const group = new Map(things.map((each) => [each, each]));
  const top = (thing: string): string => {
    let at = thing;
    for (let up = group.get(at); up !== undefined && up !== at; up = group.get(at)) at = up;
    group.set(thing, at);
    return at;
  };
  for (const { source, target } of flows) {
    if (group.has(source) && group.has(target)) group.set(top(source), top(target));
  }
  const found = new Map<string, string[]>();
  for (const thing of things) push(found, top(thing), thing);
  return [...found.values()];
}

/** Side by side from left to right, and in rows where that becomes too wide; with a margin around all. */
export function inRows(sizes: readonly Size[]): Size & { readonly places: readonly Point[] } {
  const room = sizes.reduce((sum, { width, height }) => sum + (width + GAP) * (height + GAP), 0);
  const widest = Math.max(0, ...sizes.map(({ width }) => width));
  const limit = Math.max(widest, Math.sqrt(room * ASPECT));
  const places: Point[] = [];
  let [x, y, high, wide] = [0, 0, 0, 0];
  for (const { width, height } of sizes) {
    if (x && x + width > limit) [x, y, high] = [0, y + high + GAP, 0];
    places.push({ x: x + MARGIN, y: y + MARGIN });
    [x, high, wide] = [x + width + GAP, Math.max(high, height), Math.max(wide, x + width)];
  }
  return { places, width: wide + 2 * MARGIN, height: y + high + 2 * MARGIN };
}

function movedBundle(placed: PlacedBundle, moved: (point: Point) => Point): PlacedBundle {
  return { ...placed, points: placed.points.map(moved), label: placed.label && moved(placed.label) };
}

function point({ x, y }: Point): Point {
  return { x, y };
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
