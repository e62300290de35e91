import { describe, expect, it } from 'vitest';
import type { ComparisonView, PairView } from '../../../src/api/types';
import { chosenPair, highestOf, level, ofStep, stepsOf } from '../../../src/panels/diff/pairs';

const pair = (event: number, step: number, state: string, error: number | null): PairView => ({
  step,
  a: 'a:0',
  b: 'b:0',
  event_a: event + 100,
  event_b: event,
  line_a: '',
  line_b: '',
  error,
  state,
  backward: false,
});

const comparison: ComparisonView = {
  status: 'diverged',
  headline: '',
  sentences: [],
  totals: '',
  tolerance: 1e-6,
  a: null,
  b: null,
  rows: [],
  pairs: [pair(1, 0, 'equal', 0), pair(2, 0, 'added', 0.1), pair(3, 1, 'inherited', null)],
  parameters: [],
  steps: [{ step: 1, error: 0.2 }],
};

describe('the chosen pair', () => {
  it('is that of the chosen event, else that at which the difference is made', () => {
    expect(chosenPair(comparison, 3)?.event_b).toBe(3);
    expect(chosenPair(comparison, undefined)?.event_b).toBe(2);
    expect(chosenPair({ ...comparison, pairs: [] }, 3)).toBeUndefined();
  });
});

describe('steps', () => {
  it('have the pairs of their own, and one at which to look first', () => {
    expect(ofStep(comparison, 0).map((each) => each.event_b)).toEqual([1, 2]);
    expect(stepsOf(comparison)).toEqual([
      { step: 0, event: 2, error: 0 },
      { step: 1, event: 3, error: 0.2 },
    ]);
  });
});

describe('errors', () => {
  it('stand on a logarithmic scale, what can not be compared above all', () => {
    expect(highestOf([0.1, null, 0.2])).toBe(10);
    expect(level(0, 1)).toBe(0);
    expect(level(1, 1)).toBe(1);
    expect(level(1e-6, 1e-3)).toBeCloseTo(0.5);
    expect(level(null, 10)).toBe(1);
  });
});
