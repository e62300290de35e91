import { expect, it } from 'vitest';
import { moved } from '../../src/parts/cell-map';

it('keys lead from cell to cell, others nowhere', () => {
  expect(moved([3, 4], 'ArrowUp', 10)).toEqual([2, 4]);
  expect(moved([3, 4], 'ArrowRight', 10)).toEqual([3, 5]);
  expect(moved([3, 4], 'Home', 10)).toEqual([3, 0]);
  expect(moved([3, 4], 'End', 10)).toEqual([3, 9]);
  expect(moved([3, 4], 'x', 10)).toBeUndefined();
});
