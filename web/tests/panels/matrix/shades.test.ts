import { describe, expect, it } from 'vitest';
import type { MatrixView } from '../../../src/api/types';
import { rowHeight } from '../../../src/panels/matrix/matrix-map';
import { deviation, furthest, painter, standingOut, stateOf } from '../../../src/panels/matrix/shades';
import { MATRIX } from './matrix';

describe('deviations', () => {
  it('are the logarithm of the ratio to the median, where both are known', () => {
    expect(deviation(MATRIX, [0, 0])).toBe(0);
    expect(deviation(MATRIX, [1, 1])).toBeCloseTo(Math.log(4));
    expect(deviation(MATRIX, [2, 1])).toBeUndefined();
    expect(furthest(MATRIX)).toBeCloseTo(Math.log(4));
  });

  it('are coloured by their side and by how far they are', () => {
    const paint = painter(MATRIX, 'loss');
    expect(paint([0, 0])[1]).toEqual({ colour: 'line-0', alpha: 0 });
    expect(paint([1, 1])[1]).toEqual({ colour: 'line-1', alpha: 1 });
    expect(paint([1, 0])[1]).toMatchObject({ colour: 'line-0' });
    expect(paint([1, 0])[1]?.alpha).toBeCloseTo(0.5);
  });

  it('of what is not finite are the furthest, and of nothing there are none', () => {
    const paint = painter(MATRIX, 'loss');
    expect(paint([2, 1])).toEqual([expect.objectContaining({ colour: 'bad', alpha: 1 })]);
    expect(paint([0, 2])).toEqual([]);
  });

  it('leave all pale where all are alike', () => {
    const alike: MatrixView = { ...MATRIX, rows: MATRIX.rows.slice(0, 1), medians: [1, 2, 3] };
    expect(painter(alike, 'loss')([0, 1])[1]?.alpha).toBe(0);
  });
});

describe('states', () => {
  it('have their colours, and some their share of a cell', () => {
    const paint = painter(MATRIX, 'health');
    expect(stateOf(MATRIX, [2, 1])).toBe('bad');
    expect(paint([2, 1])).toEqual([expect.objectContaining({ colour: 'bad' })]);
    expect(paint([1, 2])[1]).toMatchObject({ colour: 'warn', share: 0.4 });
    expect(paint([0, 2])).toEqual([]);
  });
});

it('what stands out comes first: the worst state, then the furthest', () => {
  expect(standingOut(MATRIX)).toEqual([2, 1, 0]);
});

it('many rows are low, few have a height in which names stand', () => {
  expect([rowHeight(2), rowHeight(100), rowHeight(1000), rowHeight(0)]).toEqual([22, 10, 4, 22]);
});
