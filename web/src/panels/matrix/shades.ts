/** How the cells of the matrix are coloured: by how a process fared, or by how far it is from the median of all. */
import type { MatrixView } from '../../api/types';
import type { Cell, Paint } from '../../parts/cell-map';

interface Kind {
  /** What stands on the button. */
  readonly title: string;
  readonly about: string;
}

/** By which the cells are coloured; all but the first tell how far a process is from the median. */
export const SHOWN: Readonly<Record<string, Kind>> = {
  health: { title: 'Health', about: 'Whether each process was well in each step' },
  loss: { title: 'Loss', about: 'Loss of each process against the median of all' },
  gradients: {
    title: 'Gradients',
    about: 'What the backward pass of each process computes, against the median of all',
  },
  weights: { title: 'Weights', about: 'What the trained variables of each process hold, against the median of all' },
  values: { title: 'Values', about: 'All other tensors of each process against the median of all' },
};

/** Colours of the states, in the words of the legend. What stands still is low, so that it is told without its colour. */
export const STATES: Readonly<Record<string, Paint & { readonly words: string }>> = {
  bad: { colour: 'bad', alpha: 1, words: 'not finite' },
  still: { colour: 'warn', alpha: 1, share: 0.4, words: 'stands still' },
  apart: { colour: 'accent', alpha: 1, share: 0.7, words: 'other parameters than the others' },
  finite: { colour: 'fine-ground', alpha: 1, words: 'all finite' },
  not_measured: { colour: 'line', alpha: 1, words: 'not measured' },
};

export const COLOURS = ['panel', 'bad', 'warn', 'accent', 'fine-ground', 'line', 'line-0', 'line-1'];

/** By how many times a value is larger than the median, as a logarithm; undefined where that is not known. */
export function deviation(matrix: MatrixView, [row, column]: Cell): number | undefined {
  const value = matrix.rows[row]?.values[column] ?? 0;
  const median = matrix.medians[column] ?? 0;
  return value > 0 && median > 0 ? Math.log(value / median) : undefined;
}

/** The largest deviation of all cells, to either side. */
export function furthest(matrix: MatrixView): number {
  let most = 0;
  for (const [row, { values }] of matrix.rows.entries())
    for (const column of values.keys()) most = Math.max(most, Math.abs(deviation(matrix, [row, column]) ?? 0));
  return most;
}

/** How a cell fared, in the words of the server. */
export function stateOf(matrix: MatrixView, [row, column]: Cell): string {
  return matrix.states[matrix.rows[row]?.states[column] ?? 0] ?? 'nothing';
}

/** What is painted into each cell. */
export function painter(matrix: MatrixView, shown: string): (cell: Cell) => readonly Paint[] {
  const ofState = (cell: Cell): readonly Paint[] => {
    const paint = STATES[stateOf(matrix, cell)];
    if (!paint) return [];
    return paint.share === undefined ? [paint] : [{ colour: 'fine-ground', alpha: 1 }, paint];
  };
  if (shown === 'health') return ofState;
  const most = furthest(matrix);
  return (cell) => {
    const far = deviation(matrix, cell);
    // What is not finite is as far from the others as can be.
    if (far === undefined) return stateOf(matrix, cell) === 'bad' ? ofState(cell) : [];
    const strength = most > 0 ? Math.abs(far) / most : 0;
    return [
      { colour: 'panel', alpha: 1 },
      { colour: far > 0 ? 'line-1' : 'line-0', alpha: strength },
    ];
  };
}

/** The rows by how much they stand out: those that fared worst, then those that are furthest from the median. */
export function standingOut(matrix: MatrixView): readonly number[] {
  const worst = matrix.rows.map(({ states }) => Math.max(0, ...states));
  const far = matrix.rows.map(({ values }, row) =>
    Math.max(0, ...values.map((_, column) => Math.abs(deviation(matrix, [row, column]) ?? 0))),
  );
  const by = (numbers: readonly number[], row: number): number => numbers[row] ?? 0;
  return [...matrix.rows.keys()].sort((a, b) => by(worst, b) - by(worst, a) || by(far, b) - by(far, a) || a - b);
}
