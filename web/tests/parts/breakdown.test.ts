import { describe, expect, it } from 'vitest';
import type { HealthView } from '../../src/api/types';
import { badSign, breakdown, breakdownWords, nonFinite } from '../../src/parts/breakdown';

const CLEAN: HealthView = {
  size: 1000,
  negative: 0,
  zero: 0,
  positive: 1000,
  neg_inf: 0,
  pos_inf: 0,
  nan: 0,
  subnormal: 0,
  min: 0,
  max: 1,
  mean: 0.5,
  std: 0.1,
};

describe('the breakdown of a tensor', () => {
  it('fills the bar, with room for a single bad element among many', () => {
    const parts = breakdown({ ...CLEAN, size: 1e6, positive: 999_998, nan: 1, zero: 1 });
    expect(parts.map((part) => part.name)).toEqual(['zero', 'positive', 'nan']);
    expect(parts.reduce((sum, part) => sum + part.share, 0)).toBeCloseTo(1);
    expect(Math.min(...parts.map((part) => part.share))).toBeGreaterThan(0.05);
  });

  it('is empty where nothing was measured', () => {
    expect(breakdown(null)).toEqual([]);
    expect(breakdown({ ...CLEAN, negative: null, zero: null, positive: null })).toEqual([]);
    expect(breakdownWords(null)).toBe('not measured');
    expect(breakdownWords({ ...CLEAN, size: 0, positive: 0 })).toBe('no elements');
  });

  it('can be read without colours', () => {
    const health = { ...CLEAN, positive: 988, nan: 12 };
    expect(breakdownWords(health)).toBe('988 positive (99%), 12 NaN (1%) of 1,000');
    expect(nonFinite(health)).toBe(12);
    expect(badSign(health)).toBe('NaN');
    expect(badSign({ ...CLEAN, neg_inf: 1 })).toBe('-inf');
    expect(badSign({ ...CLEAN, neg_inf: 1, pos_inf: 2, nan: 1 })).toBe('NaN, ±inf');
    expect(badSign(CLEAN)).toBe('');
  });
});
