import { describe, expect, it } from 'vitest';
import { listed, matching } from '../../src/api/saved-rows';
import { row } from './content';

const ROWS = [
  row(1, 'probs:0', { max: 5 }),
  row(2, 'Log:0', { neg_inf: 1, zero: 0, max: 2 }),
  row(3, 'loss/probs:0', { nan: 4, max: null }),
];

const found = (search: string): number[] => matching(ROWS, search).map((each) => each.event);

describe('the search of a saved page', () => {
  it.each([
    ['', [1, 2, 3]],
    ['PROBS', [1, 3]],
    ['"probs:0" -loss', [1]],
    ['probs*', [1]],
    ['name:*probs:?', [1, 3]],
    ['op:Log', [2]],
    ['nonfinite', [2, 3]],
    ['nonfinite -nan', [2]],
    ['inf', [2]],
    ['-zero', [2]],
    ['step:2', [2]],
    ['step:2..', [2, 3]],
    ['event:..2', [1, 2]],
    ['event:2..2', [2]],
    ['iteration:0..', []],
    ['execution:2 file:train.py', [1, 2, 3]],
    ['execution:20', []],
    ['layer:loss', [3]],
    ['max:>1e0', [1, 2]],
    ['max:<=2', [2]],
    ['min:-1.5..0.5', [1, 2, 3]],
  ])('%s', (search, expected) => {
    expect(found(search)).toEqual(expected);
  });

  it('says which keys it knows', () => {
    expect(() => found('shape:[1]')).toThrow("A saved page can't search for shape:");
  });
});

describe('the order of a saved page', () => {
  const sorted = (order: string, descending: boolean): number[] =>
    listed(ROWS, { search: '', order, descending }).map((each) => each.event);

  it('puts what has no value last, either way', () => {
    expect(sorted('max', false)).toEqual([2, 1, 3]);
    expect(sorted('max', true)).toEqual([1, 2, 3]);
  });

  it('compares texts, and leaves the rows themselves as they were', () => {
    expect(sorted('tensor', false)).toEqual([2, 3, 1]);
    expect(sorted('event', true)).toEqual([3, 2, 1]);
    expect(sorted('event', false)).toEqual([1, 2, 3]);
  });

  it('refuses another', () => {
    expect(() => sorted('nothing', false)).toThrow("can't be sorted by nothing");
  });
});
