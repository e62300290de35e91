/** Walking a whole graph with the arrow keys: along bundles, and in and out of boxes. */
import type { Direction } from '../walk';
import type { PlacedThing, WholeDrawing } from './layout';

/** The thing that one comes to; undefined where there is none. */
export function walkedWhole(drawing: WholeDrawing, from: string, direction: Direction): string | undefined {
  const here = drawing.things.find(({ id }) => id === from);
  if (!here) return drawing.things[0]?.id;
  const next =
    direction === 'up'
      ? up(drawing, here)
      : direction === 'down'
        ? down(drawing, here)
        : beside(drawing, here, direction);
  return next?.id;
}

/** To what it takes, or else to the box around it. */
function up(drawing: WholeDrawing, here: PlacedThing): PlacedThing | undefined {
  const sources = drawing.bundles.filter(({ bundle }) => bundle.target === here.id).map(({ bundle }) => bundle.source);
  const above = things(drawing, sources).filter((each) => each.y < here.y);
  return nearest(above, here) ?? things(drawing, [here.inside])[0] ?? nearest(row(drawing, here, 'above'), here);
}

/** Into an open box, along the way from the origin, to what takes its result, or else to what is below the box around it. */
function down(drawing: WholeDrawing, here: PlacedThing): PlacedThing | undefined {
  const inside = drawing.things.filter((each) => each.inside === here.id);
  if (inside.length) return inside.reduce((best, each) => (each.y < best.y ? each : best));
  for (let at: PlacedThing | undefined = here; at; at = things(drawing, [at.inside])[0]) {
    const { id, y } = at;
    const leading = drawing.bundles.filter(({ bundle }) => bundle.source === id);
    const onWay = leading.find((each) => each.onWay);
    const targets = (onWay ? [onWay] : leading).map(({ bundle }) => bundle.target);
    const below = things(drawing, targets).filter((each) => each.y > y);
    const next = nearest(below, at) ?? nearest(row(drawing, at, 'below'), at);
    if (next) return next;
  }
  return undefined;
}

/** To the next thing of the same box at about the same height. */
function beside(drawing: WholeDrawing, here: PlacedThing, direction: 'left' | 'right'): PlacedThing | undefined {
  const sign = direction === 'left' ? -1 : 1;
  const beside = drawing.things.filter(
    (each) =>
      each.inside === here.inside &&
      (each.x - here.x) * sign > 0 &&
      Math.abs(each.y - here.y) < (each.height + here.height) / 2,
  );
  return nearest(beside, here);
}

/** All in the same box that stand above, or below. */
function row(drawing: WholeDrawing, here: PlacedThing, where: 'above' | 'below'): readonly PlacedThing[] {
  const sign = where === 'above' ? -1 : 1;
  return drawing.things.filter((each) => each.inside === here.inside && (each.y - here.y) * sign > here.height / 2);
}

function things(drawing: WholeDrawing, ids: readonly string[]): readonly PlacedThing[] {
  return drawing.things.filter(({ id }) => ids.includes(id));
}

function nearest(among: readonly PlacedThing[], here: PlacedThing): PlacedThing | undefined {
  const apart = (each: PlacedThing): number => Math.hypot(each.x - here.x, 2 * (each.y - here.y));
  return among.reduce<PlacedThing | undefined>(
    (best, each) => (!best || apart(each) < apart(best) ? each : best),
    undefined,
  );
}
