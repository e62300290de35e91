/** What one does with a whole graph: open and close boxes, choose operations, go to another function. */
import type { BoxView, FoundThing, NodeView, WholeView } from '../../../api/types';
import { go, place } from '../../../state/store';

const CLOSED = '-';

/** Which boxes the place says are open, and which are closed. */
export function wantedBoxes(boxes: readonly string[]): {
  readonly opened: readonly string[];
  readonly closed: readonly string[];
} {
  return {
    opened: boxes.filter((box) => !box.startsWith(CLOSED)),
    closed: boxes.filter((box) => box.startsWith(CLOSED)).map((box) => box.slice(CLOSED.length)),
  };
}

/** The boxes of the place after one was opened or closed; with a box all that was opened in it is closed. */
export function toggled(boxes: readonly string[], box: BoxView, view: WholeView): readonly string[] {
  const gone = new Set([box.box, CLOSED + box.box, ...(box.opened ? insideOf(box.box, view) : [])]);
  return [...boxes.filter((each) => !gone.has(each)), box.opened ? CLOSED + box.box : box.box];
}

/** The boxes of the place with those around a thing open, and the thing itself where it is one. */
export function withBoxesOpen(boxes: readonly string[], { thing, box, around }: FoundThing): readonly string[] {
  const wanted = box ? [...around, thing] : around;
  const gone = new Set(wanted.flatMap((each) => [each, CLOSED + each]));
  return [...boxes.filter((each) => !gone.has(each)), ...wanted];
}

/** Opens a box, or closes it. */
export function toggleBox(box: BoxView, view: WholeView): void {
  go({ boxes: toggled(place.value.boxes, box, view) });
}

/** Moves to what an operation computed, all boxes staying as they are; without a record shows what it is. */
export function chooseIn(node: NodeView, view: WholeView): void {
  const { operation } = place.value;
  if (node.event === null) go({ operation: operation === node.node ? '' : node.node }, 'replace');
  else go({ event: node.event, operation: '', boxes: asTheyAre(view) });
}

/** Every box that is open said to be open, and every other one closed, whatever would be open by itself. */
function asTheyAre(view: WholeView): readonly string[] {
  return view.boxes.map(({ box, opened }) => (opened ? box : CLOSED + box));
}

function insideOf(box: string, view: WholeView): readonly string[] {
  const found = new Set([box]);
  for (const each of view.boxes) if (found.has(each.inside)) found.add(each.box);
  found.delete(box);
  return [...found];
}
