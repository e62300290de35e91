/** Whole graphs of a saved page: each is held with its boxes open, as deep as there was room, and closed here. */
import type { FindRequest, WholeAnswer, WholeRequest } from './answers';
import type { SavedWhole } from './content';
import type { FoundInGraph, WholeView } from './types';

/**
 * The graph that is asked for: that of the event itself, or one in which the event is an operation, which is then the
 * chosen one.
 */
export function heldWhole(
  wholes: readonly SavedWhole[],
  { event, function: functionName }: Pick<WholeRequest, 'event' | 'function'>,
): SavedWhole | undefined {
  if (functionName) return wholes.find((each) => each.event === null && String(each.view.function) === functionName);
  const own = wholes.find((each) => each.event === (event ?? null));
  if (own || event === undefined) return own;
  // Graphs of one execution come first: what they say of other operations is of the same execution.
  const around = [...wholes].sort((a, b) => Number(a.event === null) - Number(b.event === null));
  for (const each of around) {
    const node = each.view.nodes.find((known) => known.event === event);
    if (node) return { ...each, view: { ...each.view, centre: node.node } };
  }
  return undefined;
}

/** A held graph with some boxes open: those that are so by themselves, those around the chosen operation, and others. */
export function shownWhole(
  { view, open }: SavedWhole,
  { opened, closed }: Pick<WholeRequest, 'opened' | 'closed'>,
): WholeAnswer {
  const centre = view.nodes.find(({ node }) => node === view.centre);
  const wanted = new Set([...open, ...boxesAround(view, centre?.inside ?? ''), ...opened]);
  for (const box of closed) wanted.delete(box);
  const seen = new Set(['']);
  // Each box comes before those in it.
  const boxes = view.boxes.flatMap((box) => {
    if (!seen.has(box.inside)) return [];
    const isOpen = box.opened && wanted.has(box.box);
    if (isOpen) seen.add(box.box);
    return [{ ...box, opened: isOpen }];
  });
  return {
    ...view,
    boxes,
    nodes: view.nodes.filter(({ inside }) => seen.has(inside)),
    bundles: view.bundles.filter(({ box }) => seen.has(box)),
    unopened: 0,
    left_out: view.boxes.filter((box) => !box.opened).length,
  };
}

/** The operations and boxes of a held graph with a text in their name, be they shown or not. */
export function foundIn(view: WholeView, text: FindRequest['text']): FoundInGraph {
  const wanted = text.toLowerCase();
  const things = [
    ...view.boxes.map(({ box, label, kind, inside }) => ({ thing: box, title: label, kind, box: true, inside })),
    ...view.nodes.map(({ node, title, op_type, inside }) => ({
      thing: node,
      title,
      kind: op_type,
      box: false,
      inside,
    })),
  ]
    .filter(({ thing, title, kind }) => [thing, title, kind].some((each) => each.toLowerCase().includes(wanted)))
    .map(({ inside, ...rest }) => ({ ...rest, around: boxesAround(view, inside) }));
  return { total: things.length, things };
}

/** A box and those around it, the innermost first. */
function boxesAround(view: WholeView, box: string): string[] {
  const inside = new Map(view.boxes.map((each) => [each.box, each.inside]));
  const found: string[] = [];
  for (let at = box; at; at = inside.get(at) ?? '') found.push(at);
  return found;
}
