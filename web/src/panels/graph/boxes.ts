/** Boxes around nodes: opened calls and their parts, in them layers and name scopes, one in another. */
import type { NodeView } from '../../api/types';

export interface Box {
  readonly id: string;
  /** Box that it lies in, empty at the top. */
  readonly parent: string;
  readonly label: string;
  readonly kind: 'call' | 'layer' | 'scope';
}

export interface Boxed {
  readonly boxes: readonly Box[];
  /** Box of each node; none at the top. */
  readonly boxOf: ReadonlyMap<string, string>;
}

interface Found {
  readonly box: Box;
  nodes: number;
}

/** The boxes. One that would hold a single node, or only another box, is left out: it tells less than it takes room. */
export function boxed(nodes: readonly NodeView[]): Boxed {
  const found = new Map<string, Found>();
  const direct = new Map<string, string>();
  const named = new Map(nodes.map((node) => [node.node, node]));
  for (const node of nodes) {
    const path = pathOf(node, named);
    for (const box of path) {
      const known = found.get(box.id) ?? { box, nodes: 0 };
      known.nodes += 1;
      found.set(box.id, known);
    }
    const last = path[path.length - 1];
    if (last) direct.set(node.node, last.id);
  }
  const kept = (id: string): string => {
    for (let at = id; at; at = found.get(at)?.box.parent ?? '') if (worth(at, found, direct)) return at;
    return '';
  };
  const boxes = [...found.values()]
    .filter(({ box }) => worth(box.id, found, direct))
    .map(({ box }) => ({ ...box, parent: kept(box.parent) }));
  const boxOf = new Map([...direct].map(([node, id]) => [node, kept(id)] as const).filter(([, id]) => id));
  return { boxes, boxOf };
}

function worth(id: string, found: ReadonlyMap<string, Found>, direct: ReadonlyMap<string, string>): boolean {
  const here = found.get(id);
  if (!here) return false;
  if (here.box.kind === 'call') return true;
  if (here.nodes < 2) return false;
  const holdsNode = [...direct.values()].includes(id);
  const children = [...found.values()].filter((each) => each.box.parent === id);
  return holdsNode || children.length > 1;
}

/** The boxes that a node lies in, the outermost first. */
function pathOf(node: NodeView, named: ReadonlyMap<string, NodeView>): readonly Box[] {
  const path: Box[] = [];
  for (const call of callsAround(node, named)) {
    const opener = named.get(call.inside);
    const id = `${call.inside}\n${call.part}`;
    const label = [opener?.op_type ?? call.inside, call.part].filter(Boolean).join(': ');
    path.push({ id, parent: path[path.length - 1]?.id ?? '', label, kind: 'call' });
  }
  const kind = node.layer ? 'layer' : 'scope';
  const parts = (node.layer || node.scope).split('/').filter(Boolean);
  const below = path[path.length - 1]?.id ?? '';
  parts.forEach((_, index) => {
    const label = parts.slice(0, index + 1).join('/');
    path.push({ id: `${below}\n${kind} ${label}`, parent: path[path.length - 1]?.id ?? '', label, kind });
  });
  return path;
}

/** The calls around a node and the parts that it is in, the outermost first. */
function callsAround(
  node: NodeView,
  named: ReadonlyMap<string, NodeView>,
): readonly { readonly inside: string; readonly part: string }[] {
  const calls: { inside: string; part: string }[] = [];
  const seen = new Set<string>();
  for (let at: NodeView | undefined = node; at?.inside && !seen.has(at.inside); at = named.get(at.inside)) {
    seen.add(at.inside);
    calls.unshift({ inside: at.inside, part: at.part });
  }
  return calls;
}
