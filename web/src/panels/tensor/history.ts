/** The history of a tensor as the columns of its charts, and in words. */
import type { TensorView } from '../../api/types';
import { badSign, breakdownWords, nonFinite } from '../../parts/breakdown';
import { iterationsOf, iterationText, type Turned } from '../../parts/iterations';
import { count, short } from '../../parts/numbers';

export type Point = TensorView['points'][number];
type Column = (number | null)[];
/** What charts may show of each point. */
export type ColumnName =
  | 'min'
  | 'below'
  | 'mean'
  | 'above'
  | 'max'
  | 'std'
  | 'negative'
  | 'upToZero'
  | 'finite'
  | 'all'
  | 'bad';

/** One entry for each point, in the order in which they are drawn. */
export interface History {
  readonly points: readonly Point[];
  /** The step, and for the iterations of a loop a fraction of it. */
  readonly x: number[];
  /** Into how many parts the iterations of each loop, the outermost first, divide a step. */
  readonly iterations: readonly number[];
  readonly min: Column;
  /** The mean less the standard deviation, and with it; no further than the least and the largest element. */
  readonly below: Column;
  readonly above: Column;
  readonly mean: Column;
  readonly max: Column;
  readonly std: Column;
  /** Shares of all elements, 0 to 1, one on top of the other: negative, with the zeros, with the positive, with all else. */
  readonly negative: Column;
  readonly upToZero: Column;
  readonly finite: Column;
  readonly all: Column;
  /** The share of NaN and infinities alone. */
  readonly bad: Column;
  /** The least magnitude that is not zero; 1 where there is none. */
  readonly smallest: number;
  /** What each line of the charts is of: who had the tensor computed, as each counts its steps by itself. */
  readonly lines: readonly string[];
}

/** Where on the axis of steps something stands. */
export function whereOf(point: Turned & Pick<Point, 'step'>, iterations: readonly number[]): number {
  let [where, part] = [point.step, 1];
  iterationsOf(point).forEach((iteration, loop) => {
    part /= iterations[loop] ?? 1;
    where += iteration * part;
  });
  return where;
}

/** Of each loop, the outermost first, one more than its last iteration. */
function partsOf(points: readonly Turned[]): number[] {
  const parts: number[] = [];
  for (const point of points)
    iterationsOf(point).forEach((iteration, loop) => {
      parts[loop] = Math.max(parts[loop] ?? 1, iteration + 1);
    });
  return parts;
}

export function history(given: readonly Point[], callers: readonly string[] = ['']): History {
  const iterations = partsOf(given);
  const at = (point: Point): number => whereOf(point, iterations);
  const points = [...given].sort((one, other) => at(one) - at(other) || one.event - other.event);
  const share = (of: (point: Point) => number | null): Column =>
    points.map((point) => {
      const part = of(point);
      return part === null || !point.health?.size ? null : part / point.health.size;
    });
  const columns = {
    min: points.map(({ health }) => health?.min ?? null),
    mean: points.map(({ health }) => health?.mean ?? null),
    max: points.map(({ health }) => health?.max ?? null),
  };
  const sizes = Object.values(columns).flatMap((column) => column.flatMap((value) => (value ? [Math.abs(value)] : [])));
  return {
    points,
    x: points.map(at),
    iterations,
    ...columns,
    below: points.map(({ health }) => within(health, -1)),
    above: points.map(({ health }) => within(health, 1)),
    std: points.map(({ health }) => health?.std ?? null),
    negative: share(({ health }) => health?.negative ?? null),
    upToZero: share(({ health }) => sum(health?.negative, health?.zero)),
    finite: share(({ health }) => (health ? health.size - nonFinite(health) : null)),
    all: share(({ health }) => health?.size ?? null),
    bad: share(({ health }) => (health ? nonFinite(health) : null)),
    lines: callers.map((name) => name || 'outside of functions'),
    smallest: sizes.reduce((least, size) => Math.min(least, size), Number.POSITIVE_INFINITY),
  };
}

/** So many standard deviations from the mean, within what there is. */
function within(health: Point['health'], deviations: number): number | null {
  if (!health || health.mean === null || health.std === null || health.min === null || health.max === null) return null;
  return Math.min(health.max, Math.max(health.min, health.mean + deviations * health.std));
}

/** Null where a part was not measured. */
function sum(one: number | null | undefined, other: number | null | undefined): number | null {
  return typeof one === 'number' && typeof other === 'number' ? one + other : null;
}

/** A column with what belongs to one line; undefined, which is no gap, where another line has its points. */
export function ofLine(history: History, name: ColumnName, line: number): (number | null | undefined)[] {
  if (history.lines.length === 1) return [...history[name]];
  return history[name].map((value, index) => (history.points[index]?.caller === line ? value : undefined));
}

/** Indices of the points that are not finite. */
export function badPoints({ points }: History): readonly number[] {
  return points.flatMap((point, index) => (nonFinite(point.health) ? [index] : []));
}

/** `step 3`, `step 3, iteration 2`; in loops of one another `step 3, iteration 2.0`. */
export function whenOf(point: Point): string {
  const iteration = iterationText(point);
  return iteration ? `step ${count(point.step)}, iteration ${iteration}` : `step ${count(point.step)}`;
}

/** All about a point in a line; whose it is where there are several. */
export function words(point: Point, lines: readonly string[] = []): string {
  const { health } = point;
  const when = lines.length > 1 ? `${lines[point.caller]}, ${whenOf(point)}` : whenOf(point);
  if (!health) return `${when}: not measured`;
  const sign = badSign(health);
  const numbers = `min ${short(health.min)}, mean ${short(health.mean)}, max ${short(health.max)}, std ${short(health.std)}`;
  return `${when}: ${sign ? `${sign}! ` : ''}${numbers}; ${breakdownWords(health)}`;
}

/** The whole history in a sentence. */
export function summary(view: TensorView): string {
  const bad = view.points.filter((point) => nonFinite(point.health));
  const [first] = bad;
  const drawn = view.points.length < view.total ? `; ${count(view.points.length)} of them are drawn` : '';
  const events = `Computed ${count(view.total)} ${view.total === 1 ? 'time' : 'times'}${drawn}.`;
  if (!first) return `${events} Always finite.`;
  return `${events} Not finite ${count(bad.length)} ${bad.length === 1 ? 'time' : 'times'}, first in ${whenOf(first)}.`;
}
