/** What is said of a cell of the matrix, and of the picture as a whole. */
import type { MatrixView, ProcessView } from '../../api/types';
import type { Cell } from '../../parts/cell-map';
import { count, counted, short } from '../../parts/numbers';
import { deviation, furthest, SHOWN, stateOf } from './shades';

/** The process, the steps, how it fared, and its number beside that of the others. */
export function cellWords(matrix: MatrixView, processes: readonly ProcessView[], cell: Cell): string {
  const shown = matrix.rows[cell[0]];
  if (!shown) return '';
  const state = processes.find(({ process }) => process === shown.process);
  const parts = [fared(matrix, state, cell), compared(matrix, cell)].filter(Boolean);
  return `${shown.process}, ${stepWords(matrix, cell[1])}: ${parts.join('; ')}`;
}

/** `step 3`, or `steps 10 to 19`. */
export function stepWords({ starts, last_step: last }: MatrixView, column: number): string {
  const first = starts[column] ?? 0;
  const end = Math.max(first, Math.min((starts[column + 1] ?? last + 1) - 1, last));
  return end > first ? `steps ${count(first)} to ${count(end)}` : `step ${count(first)}`;
}

function fared(matrix: MatrixView, process: ProcessView | undefined, [row, column]: Cell): string {
  const { tensors = [], bad = [] } = matrix.rows[row] ?? {};
  const [all, worse] = [tensors[column] ?? 0, bad[column] ?? 0];
  const recorded = counted(all, 'tensor');
  switch (stateOf(matrix, [row, column])) {
    case 'bad':
      return `${count(worse)} of ${recorded} not finite`;
    case 'finite':
      return `${recorded}, all finite`;
    case 'apart':
      return `${recorded}, all finite, but with other parameters than the others`;
    case 'not_measured':
      return `${recorded}, not measured`;
    case 'still':
      return `${all ? `${recorded}, then it stands still` : 'stands still'}${ending(process)}`;
    default:
      return 'nothing was recorded';
  }
}

function ending(process: ProcessView | undefined): string {
  if (!process) return '';
  return process.running ? ' and is running' : `: ${process.ended || 'ended'}`;
}

/** `loss 2.5, 1.2 times the median 2.08`. */
function compared(matrix: MatrixView, [row, column]: Cell): string {
  const value = matrix.rows[row]?.values[column];
  const far = deviation(matrix, [row, column]);
  if (typeof value !== 'number' || far === undefined) return '';
  const name = SHOWN[matrix.measure]?.title.toLowerCase() ?? matrix.measure;
  return `${name} ${short(value)}, ${times(far)} the median ${short(matrix.medians[column])}`;
}

/** By how much something is larger or smaller: small parts in percent, the rest as a factor. */
export function times(far: number): string {
  const factor = Math.exp(far);
  const part = 100 * (factor - 1);
  if (Math.abs(part) < 0.05) return 'like';
  if (Math.abs(part) < 50) return `${short(Number(Math.abs(part).toPrecision(2)))}% ${part > 0 ? 'above' : 'below'}`;
  return `${short(Number(factor.toPrecision(3)))} times`;
}

/** What the colours say where no cell is pointed at. */
export function legendWords(matrix: MatrixView, shown: string): string {
  if (shown === 'health') return 'Point at a cell to see its numbers; a click opens the process at that step.';
  const most = furthest(matrix);
  if (!(most > 0)) return 'All processes are alike. A click opens the process at that step.';
  return `Blue below the median, orange above; the strongest is ${times(most)} it or as far below. A click opens the process at that step.`;
}
