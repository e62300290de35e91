/** How an answer is drawn: which of its columns, as lines over numbers or as bars of names. */
import type { AnswerTable } from '../../api/types';

export interface Series {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
}

/** Lines over the numbers of the first column, or over the rows. */
export interface LineChart {
  readonly kind: 'lines';
  readonly over: string;
  readonly x: readonly number[];
  readonly series: readonly Series[];
}

/** One bar for each name of the first column. */
export interface BarChart {
  readonly kind: 'bars';
  readonly names: readonly string[];
  readonly series: Series;
}

const MOST_LINES = 8;
const MOST_BARS = 40;

/** A drawing of an answer; undefined where it has no two numbers to compare. */
export function chartOf({ columns, rows }: AnswerTable): LineChart | BarChart | undefined {
  const numeric = columns.flatMap(({ numeric: is }, index) => (is ? [index] : []));
  const named = columns.findIndex(({ numeric: is }) => !is);
  const [first, second] = numeric;
  if (rows.length < 2 || first === undefined) return undefined;
  const series = (index: number): Series => ({
    name: columns[index]?.name ?? '',
    values: rows.map((row) => numberOf(row[index])),
  });
  if (named === 0) {
    const { name, values } = series(first);
    const names = rows.slice(0, MOST_BARS).map((row) => String(row[0] ?? 'NULL'));
    return { kind: 'bars', names, series: { name, values: values.slice(0, MOST_BARS) } };
  }
  if (second === undefined) {
    return { kind: 'lines', over: 'row', x: rows.map((_, index) => index), series: [series(first)] };
  }
  const over = series(first);
  const order = over.values
    .map((value, index) => ({ value, index }))
    .filter((each): each is { value: number; index: number } => each.value !== undefined)
    .sort((one, other) => one.value - other.value);
  const lines = numeric.slice(1, 1 + MOST_LINES).map((index) => {
    const { name, values } = series(index);
    return { name, values: order.map((each) => values[each.index]) };
  });
  return { kind: 'lines', over: over.name, x: order.map(({ value }) => value), series: lines };
}

/** A cell as a finite number. */
function numberOf(cell: unknown): number | undefined {
  if (cell === null || cell === undefined || cell === '') return undefined;
  const value = Number(cell);
  return Number.isFinite(value) ? value : undefined;
}

/** The least and the largest value of some; undefined where there is none. */
export function extent(values: readonly (number | undefined)[]): readonly [number, number] | undefined {
  let found: readonly [number, number] | undefined;
  for (const value of values) {
    if (value === undefined) continue;
    found = found ? [Math.min(found[0], value), Math.max(found[1], value)] : [value, value];
  }
  return found;
}

/** The pieces of a line between what is missing, as points of a drawing. */
export function piecesOf(
  x: readonly number[],
  values: readonly (number | undefined)[],
  [left, right]: readonly [number, number],
  [low, high]: readonly [number, number],
): readonly string[] {
  const pieces: string[][] = [[]];
  values.forEach((value, index) => {
    if (value === undefined) {
      pieces.push([]);
      return;
    }
    const across = right > left ? ((x[index] ?? 0) - left) / (right - left) : 0.5;
    const up = high > low ? (value - low) / (high - low) : 0.5;
    pieces.at(-1)?.push(`${(100 * across).toFixed(2)},${(98 - 96 * up).toFixed(2)}`);
  });
  return pieces.filter((piece) => piece.length).map((piece) => piece.join(' '));
}
