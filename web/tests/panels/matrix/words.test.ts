import { expect, it } from 'vitest';
import type { MatrixView, ProcessView } from '../../../src/api/types';
import { cellWords, legendWords, stepWords, times } from '../../../src/panels/matrix/words';
import { MATRIX } from './matrix';

const process = (name: string, running: boolean, ended = ''): ProcessView => ({
  process: name,
  pid: 1,
  tensor_events: 80,
  executions: 8,
  running,
  ended,
});

const say = (row: number, column: number, processes: readonly ProcessView[] = []): string =>
  cellWords(MATRIX, processes, [row, column]);

it('a cell tells its process, its steps, how it fared, and its number beside the others', () => {
  expect(say(0, 0)).toBe('rank 0, steps 0 to 9: 40 tensors, all finite; loss 1, like the median 1');
  expect(say(1, 0)).toBe('rank 1, steps 0 to 9: 40 tensors, all finite; loss 0.5, 0.5 times the median 1');
  expect(say(1, 1)).toBe(
    'rank 1, steps 10 to 19: 40 tensors, all finite, but with other parameters than the others; loss 8, 4 times the median 2',
  );
  expect(say(2, 0)).toBe('rank 2, steps 0 to 9: 40 tensors, not measured; loss 1, like the median 1');
  expect(say(2, 1)).toBe('rank 2, steps 10 to 19: 1,002 of 1,040 tensors not finite');
  expect(say(0, 2)).toBe('rank 0, steps 20 to 24: nothing was recorded');
  expect(say(7, 0)).toBe('');
});

it('what stands still tells whether it still runs or how it ended', () => {
  expect(say(1, 2)).toBe('rank 1, steps 20 to 24: stands still');
  expect(say(1, 2, [process('rank 1', true)])).toBe('rank 1, steps 20 to 24: stands still and is running');
  expect(say(1, 2, [process('rank 1', false, 'killed by SIGKILL')])).toBe(
    'rank 1, steps 20 to 24: stands still: killed by SIGKILL',
  );
});

it('one step is one step, whatever the last is', () => {
  expect(stepWords({ ...MATRIX, starts: [0, 1], last_step: 1 }, 1)).toBe('step 1');
});

it('small parts are percent, others factors', () => {
  expect([0, 0.02, -0.1, 1.5, -3].map(times)).toEqual(['like', '2% above', '9.5% below', '4.48 times', '0.0498 times']);
});

it('the legend tells the strongest colour', () => {
  expect(legendWords(MATRIX, 'loss')).toContain('4 times');
  const alike: MatrixView = { ...MATRIX, rows: MATRIX.rows.slice(0, 1) };
  expect(legendWords(alike, 'loss')).toContain('All processes are alike');
  expect(legendWords(MATRIX, 'health')).toContain('Point at a cell');
});
