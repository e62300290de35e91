import { describe, expect, it } from 'vitest';
import { compact, count, counted, duration, ends, percent, shape, short } from '../../src/parts/numbers';

describe('numbers', () => {
  it('are short', () => {
    const cases: [number | null, string][] = [
      [null, '–'],
      [0, '0'],
      [-0.031_249, '-0.03125'],
      [12_345, '12345'],
      [1.5e-7, '1.5e-7'],
      [123_456_789, '1.23e8'],
      [2e6, '2e6'],
      [0.1 + 0.2, '0.3'],
    ];
    for (const [value, shown] of cases) expect(short(value)).toBe(shown);
  });

  it('are told apart at the ends of an axis', () => {
    expect(ends(0, 1.5)).toEqual(['0', '1.5']);
    expect(ends(0.999_999_88, 1)).toEqual(['0.9999999', '1']);
    expect(ends(1, 1)).toEqual(['1', '1']);
  });

  it('have thousands separators where they count', () => {
    expect(count(1_204)).toBe('1,204');
    expect(counted(1, 'event')).toBe('1 event');
    expect(counted(2000, 'event')).toBe('2,000 events');
    expect(compact(9_999)).toBe('9,999');
    expect(compact(12_345_678)).toBe('12.3M');
  });

  it('are shapes as in NumPy', () => {
    expect(shape([100, 10])).toBe('[100, 10]');
    expect(shape([])).toBe('[]');
    expect(shape(null)).toBe('?');
  });

  it('are never nothing when there is something', () => {
    expect(percent(1, 1000)).toBe('<1%');
    expect(percent(999, 1000)).toBe('>99%');
    expect(percent(1000, 1000)).toBe('100%');
    expect(percent(0, 0)).toBe('0%');
  });

  it('are times in a fitting unit', () => {
    expect(duration(950)).toBe('950 ns');
    expect(duration(1_250_000)).toBe('1.25 ms');
    expect(duration(125e9)).toBe('2 min 5 s');
  });
});
