/** What a whole graph shows only when it is asked for: constants, and the backward pass. */
import type { WholeView } from '../../../api/types';

/** What can be shown or left out, as links say it. */
export const SECONDARY = ['backward', 'constant'] as const;
export type Secondary = (typeof SECONDARY)[number];

/** How many operations of each kind the graph has where it is open. */
export type SecondaryCounts = Readonly<Record<Secondary, number>>;

/**
 * The view without what is secondary and was not asked for. Where one looks at something of a kind, all of it is shown: the
 * chosen operation, or one that was looked for.
 */
export function withoutSecondary(view: WholeView, wanted: readonly string[], lookedAt: readonly string[]): WholeView {
  const here = [
    ...view.nodes.map((each) => ({ ...each, id: each.node })),
    ...view.boxes.map((each) => ({ ...each, id: each.box })),
  ];
  const shown = new Set([
    ...wanted,
    ...here.filter(({ id }) => lookedAt.includes(id)).map(({ secondary }) => secondary),
  ]);
  const hidden = new Set<string>();
  const hides = (id: string, inside: string, secondary: string): void => {
    if ((secondary !== '' && !shown.has(secondary)) || hidden.has(inside)) hidden.add(id);
  };
  for (const { box, inside, secondary } of view.boxes) hides(box, inside, secondary);
  for (const { node, inside, secondary } of view.nodes) hides(node, inside, secondary);
  // A graph of nothing else is shown as it is.
  if (view.boxes.every(({ box }) => hidden.has(box)) && view.nodes.every(({ node }) => hidden.has(node))) return view;
  return {
    ...view,
    boxes: view.boxes.filter(({ box }) => !hidden.has(box)),
    nodes: view.nodes.filter(({ node }) => !hidden.has(node)),
    bundles: view.bundles.filter(({ source, target }) => !hidden.has(source) && !hidden.has(target)),
  };
}

/** Counts what is secondary: a box that does counts with all in it. */
export function secondaryCounts(view: WholeView): SecondaryCounts {
  const counts = { backward: 0, constant: 0 };
  const counted = new Set<string>();
  const add = (id: string, inside: string, secondary: string, operations: number): void => {
    if (counted.has(inside)) counted.add(id);
    else if (secondary === 'backward' || secondary === 'constant') {
      counts[secondary] += operations;
      counted.add(id);
    }
  };
  for (const { box, inside, secondary, operations } of view.boxes) add(box, inside, secondary, operations);
  for (const { node, inside, secondary } of view.nodes) add(node, inside, secondary, 1);
  return counts;
}
