import { describe, expect, it } from 'vitest';
import { indexOf, itemsOf, placeOf, withNumber } from '../../../src/panels/values/slices';

function items(slice: string, shape: readonly number[]) {
  const found = itemsOf(slice, shape);
  if (!found) throw new Error(slice);
  return found;
}

describe('a slice', () => {
  it('has numbers and ranges, as in NumPy', () => {
    expect(items('[0, :, 1:9:2]', [4, 5, 10])).toEqual([
      { kind: 'number', at: 0 },
      { kind: 'range', first: 0, step: 1, count: 5 },
      { kind: 'range', first: 1, step: 2, count: 4 },
    ]);
    expect(items('[-1, ::-1]', [4, 5])).toEqual([
      { kind: 'number', at: 3 },
      { kind: 'range', first: 4, step: -1, count: 5 },
    ]);
    expect(items('[-3:, 7:99]', [10, 8]).map((item) => item.kind === 'range' && [item.first, item.count])).toEqual([
      [7, 3],
      [7, 1],
    ]);
    expect(items('[]', [])).toEqual([]);
  });

  it('is not guessed at', () => {
    expect(itemsOf('[0, :]', [4, 5, 10])).toBeUndefined();
    expect(itemsOf('[mask]', [4])).toBeUndefined();
    expect(itemsOf('[::0]', [4])).toBeUndefined();
  });

  it('says where an element lies in the tensor, and back', () => {
    const given = items('[2, 1::3, ::-1]', [4, 10, 5]);
    expect(indexOf(given, 1, 0)).toEqual([2, 4, 4]);
    expect(placeOf(given, [2, 4, 4])).toEqual([1, 0]);
    expect(placeOf(given, [0, 4, 4])).toBeUndefined();
    expect(placeOf(given, [2, 5, 4])).toBeUndefined();
  });

  it('of one range is one row', () => {
    const given = items('[:, 3]', [6, 8]);
    expect(indexOf(given, 0, 5)).toEqual([5, 3]);
    expect(placeOf(given, [5, 3])).toEqual([0, 5]);
    expect(placeOf(items('[3]', [6]), [3])).toEqual([0, 0]);
  });

  it('is moved along an axis, not beyond its ends', () => {
    expect(withNumber('[0, :, :]', 0, 3, 8)).toBe('[3, :, :]');
    expect(withNumber('[7, :, :]', 0, 8, 8)).toBe('[7, :, :]');
    expect(withNumber('[:, 0]', 1, -1, 8)).toBe('[:, 0]');
  });
});
