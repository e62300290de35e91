import { describe, expect, it } from 'vitest';
import { readHidden, readShares, writeShares } from '../../src/state/sizes';

describe('the sizes that are kept', () => {
  it('come back as they were', () => {
    const sizes = { findings: 0.25, source: 0.6 };
    expect(readShares(writeShares(sizes))).toEqual(sizes);
  });

  it('are left out where they are none', () => {
    expect(readShares(undefined)).toEqual({});
    expect(readShares('findings:2 other:0.5 detail:x source:0.5')).toEqual({ source: 0.5 });
  });
});

describe('the panels that are hidden', () => {
  it('come back, but never all of them', () => {
    expect([...readHidden('timeline source other')]).toEqual(['timeline', 'source']);
    expect(readHidden('findings timeline events source detail').size).toBe(0);
    expect(readHidden(undefined).size).toBe(0);
  });
});
