import { describe, expect, it } from 'vitest';
import type { HealthView } from '../../../src/api/types';
import { badPoints, history, ofLine, type Point, summary, whenOf, words } from '../../../src/panels/tensor/history';
import { logScale, valueScale } from '../../../src/panels/tensor/scales';

const HEALTH: HealthView = {
  size: 10,
  negative: 3,
  zero: 2,
  positive: 5,
  neg_inf: 0,
  pos_inf: 0,
  nan: 0,
  subnormal: 0,
  min: -4,
  max: 8,
  mean: 0.5,
  std: 2,
};

function point(change: Partial<Point> = {}, health: Partial<HealthView> = {}): Point {
  return {
    event: 0,
    step: 0,
    iteration: null,
    iterations: [],
    shape: [10],
    kept: false,
    caller: 0,
    health: { ...HEALTH, ...health },
    ...change,
  };
}

describe('a history', () => {
  it('has the steps as its x, and the iterations of a loop within them', () => {
    const points = [
      point({ event: 3, step: 1, iteration: 0 }),
      point({ event: 1, step: 0, iteration: 0 }),
      point({ event: 2, step: 0, iteration: 1 }),
    ];
    const made = history(points);
    expect(made.points.map(({ event }) => event)).toEqual([1, 2, 3]);
    expect(made.x).toEqual([0, 0.5, 1]);
    expect(history([point({ step: 7 })]).x).toEqual([7]);
  });

  it('has the iterations of an inner loop within those of the outer one', () => {
    const turns = [
      [1, 1],
      [0, 1],
      [1, 0],
      [0, 0],
    ].map((iterations, event) => point({ event, iteration: iterations[1] ?? 0, iterations }));
    const made = history(turns);
    expect(made.x).toEqual([0, 0.25, 0.5, 0.75]);
    expect(made.points.map(whenOf)).toEqual(['0.0', '0.1', '1.0', '1.1'].map((turn) => `step 0, iteration ${turn}`));
  });

  it('has shares of all elements, and gaps where nothing was measured', () => {
    const made = history([point(), point({ event: 1, step: 1, health: null }), point({ step: 2 }, { nan: 5 })]);
    expect(made.negative).toEqual([0.3, null, 0.3]);
    expect(made.upToZero).toEqual([0.5, null, 0.5]);
    expect(made.finite).toEqual([1, null, 0.5]);
    expect(made.all).toEqual([1, null, 1]);
    expect(made.bad).toEqual([0, null, 0.5]);
    expect(made.max).toEqual([8, null, 8]);
    expect(made.smallest).toBe(0.5);
    expect(badPoints(made)).toEqual([2]);
  });

  it('has a band of one standard deviation around the mean that stays within what there is', () => {
    const made = history([point({}, { mean: 0.5, std: 2, min: -4, max: 2 }), point({ step: 1 }, { std: null })]);
    expect(made.below).toEqual([-1.5, null]);
    expect(made.above).toEqual([2, null]);
  });

  it('knows no share of zeros where the negative ones were not counted', () => {
    expect(history([point({}, { negative: null })]).upToZero).toEqual([null]);
  });

  it('has a line for each function that had it computed, as each counts its steps by itself', () => {
    const training = [0, 1, 2].map((step) => point({ event: step, step }, { mean: 1 }));
    const evaluated = point({ event: 9, step: 1, caller: 1 }, { mean: 7 });
    const made = history([...training, evaluated], ['train', '']);
    expect(made.lines).toEqual(['train', 'outside of functions']);
    expect(made.x).toEqual([0, 1, 1, 2]);
    expect(ofLine(made, 'mean', 0)).toEqual([1, 1, undefined, 1]);
    expect(ofLine(made, 'mean', 1)).toEqual([undefined, undefined, 7, undefined]);
    expect(words(evaluated, made.lines)).toMatch(/^outside of functions, step 1: min/);
  });

  it('is told in a sentence', () => {
    const points = [point(), point({ step: 3 }, { nan: 1 }), point({ step: 4 }, { neg_inf: 1 })];
    expect(summary({ tensor: 'Log:0', function: 'f', total: 3, points, callers: ['f'] })).toBe(
      'Computed 3 times. Not finite 2 times, first in step 3.',
    );
    expect(summary({ tensor: 'Log:0', function: 'f', total: 5000, points: points.slice(0, 1), callers: ['f'] })).toBe(
      'Computed 5,000 times; 1 of them are drawn. Always finite.',
    );
  });

  it('says of a point what is wrong with it first', () => {
    expect(words(point({ step: 3, iteration: 2 }, { nan: 1, negative: 2 }))).toMatch(
      /^step 3, iteration 2: NaN! min -4, /,
    );
    expect(words(point({ health: null }))).toBe('step 0: not measured');
  });
});

describe('a logarithmic scale', () => {
  it('is a plain one where all is positive', () => {
    expect(logScale({ min: [0.1, null, 2], smallest: 0.1 })).toEqual({ distr: 3 });
  });

  it('has both signs and zero', () => {
    expect(logScale({ min: [-3, 0], smallest: 0.25 })).toEqual({ distr: 4, asinh: 0.25 });
  });

  it('is linear where there is nothing to take a logarithm of', () => {
    const zeros = history([point({}, { min: 0, max: 0, mean: 0 })]);
    expect(valueScale(zeros, true)).toEqual({ distr: 1 });
    expect(valueScale(history([point()]), false)).toEqual({ distr: 1 });
  });
});
