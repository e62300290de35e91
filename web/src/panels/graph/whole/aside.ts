/** What a whole graph shows only when it is asked for: constants, and the backward pass. */
import type { WholeView } from '../../../api/types';

/** What can be shown or left out, as links say it. */
export const ASIDE = ['backward', 'constant'] as const;
export type Aside = (typeof ASIDE)[number];

/** How many operations of each kind the graph has where it is open. */
export type AsideCounts = Readonly<Record<Aside, number>>;

/**
 * The view without what stands aside and was not asked for. Where one looks at something of a kind, all of it is shown: the
 * chosen operation, or one that was looked for.
 */
export function withoutAside(view: WholeView, wanted: readonly string[], lookedAt: readonly string[]): WholeView {
  const here = [
    ...view.nodes.map((each) => ({ ...each, id: each.node })),
    ...view.boxes.map((each) => ({ ...each, id: each.box })),
  ];
  const shown = new Set([...wanted, ...here.filter(({ id }) => lookedAt.includes(id)).map(({ aside }) => aside)]);
  const hidden = new Set<string>();
  const hides = (id: string, inside: string, aside: string): void => {
    if ((aside !== '' && !shown.has(aside)) || hidden.has(inside)) hidden.add(id);
  };
  for (const { box, inside, aside } of view.boxes) hides(box, inside, aside);
  for (const { node, inside, aside } of view.nodes) hides(node, inside, aside);
  // A graph of nothing else is shown as it is.
  if (view.boxes.every(({ box }) => hidden.has(box)) && view.nodes.every(({ node }) => hidden.has(node))) return view;
  return {
    ...view,
    boxes: view.boxes.filter(({ box }) => !hidden.has(box)),
    nodes: view.nodes.filter(({ node }) => !hidden.has(node)),
    bundles: view.bundles.filter(({ source, target }) => !hidden.has(source) && !hidden.has(target)),
  };
}

/** Counts what stands aside: a box that does counts with all in it. */
export function asideCounts(view: WholeView): AsideCounts {
  const counts = { backward: 0, constant: 0 };
  const counted = new Set<string>();
  const add = (id: string, inside: string, aside: string, operations: number): void => {
    if (counted.has(inside)) counted.add(id);
    else if (aside === 'backward' || aside === 'constant') {
      counts[aside] += operations;
      counted.add(id);
    }
  };
  for (const { box, inside, aside, operations } of view.boxes) add(box, inside, aside, operations);
  for (const { node, inside, aside } of view.nodes) add(node, inside, aside, 1);
  return counts;
}
