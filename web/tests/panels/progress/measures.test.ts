import { describe, expect, it } from 'vitest';
import { bounds, said, shades } from '../../../src/panels/progress/measures';
import { pointsOf } from '../../../src/panels/progress/progress-lines';

describe('the shades of a map', () => {
  it('go by magnitude, and nothing is no shade', () => {
    const shade = shades('gradients', [
      [0.001, null],
      [1, 1000],
    ]);
    expect(shade(1000)).toBe(1);
    expect(shade(1)).toBeCloseTo(0.54);
    expect(shade(0.001)).toBeCloseTo(0.08);
    expect(shade(0)).toBe(0);
    expect(shade(null)).toBeUndefined();
  });

  it('are in the middle where all is the same', () => {
    expect(shades('activations', [[2, 2]])(2)).toBe(0.5);
  });

  it('are shares, or tell whether there is any', () => {
    expect(shades('zeros', [])(0.25)).toBe(0.25);
    const bad = shades('not_finite', []);
    expect([bad(0), bad(1), bad(9e9), bad(null)]).toEqual([0, 1, 1, undefined]);
  });

  it('leave out what is zero for their bounds', () => {
    expect(
      bounds([
        [0, 3],
        [null, 7],
      ]),
    ).toEqual([3, 7]);
  });
});

it('numbers are said as what they are', () => {
  expect(said('zeros', 0.5)).toBe('50% zeros');
  expect(said('not_finite', 1200)).toBe('1,200 not finite');
  expect(said('not_finite', 0)).toBe('all finite');
  expect(said('updates', 0.00123)).toBe('0.00123');
  expect(said('updates', null)).toBe('not computed');
});

it('a line has its first step at the left, its largest value at the top, and one value in the middle', () => {
  expect(pointsOf([0, 10], [1, 3])).toEqual(['0.0,98.0', '600.0,2.0']);
  expect(pointsOf([4], [7])).toEqual(['300.0,50.0']);
});
