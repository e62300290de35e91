/** A matrix of three processes: one like the others, one that deviates and then stands still, one that goes bad. */
import type { MatrixView } from '../../../src/api/types';

export const MATRIX: MatrixView = {
  states: ['nothing', 'not_measured', 'finite', 'apart', 'still', 'bad'],
  measure: 'loss',
  measures: ['loss', 'gradients'],
  starts: [0, 10, 20],
  last_step: 24,
  medians: [1, 2, null],
  rows: [
    {
      process: 'rank 0',
      states: [2, 2, 0],
      tensors: [40, 40, 0],
      bad: [0, 0, 0],
      events: [0, 40, null],
      values: [1, 2, null],
    },
    {
      process: 'rank 1',
      states: [2, 3, 4],
      tensors: [40, 40, 0],
      bad: [0, 0, 0],
      events: [0, 40, null],
      values: [0.5, 8, null],
    },
    {
      process: 'rank 2',
      states: [1, 5, 5],
      tensors: [40, 1040, 20],
      bad: [0, 1002, 20],
      events: [0, 43, 1080],
      values: [1, null, null],
    },
  ],
  left_out: 0,
};
