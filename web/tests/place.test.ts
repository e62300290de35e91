import { describe, expect, it } from 'vitest';
import { readPlace, START, writePlace } from '../src/state/place';

describe('a link', () => {
  it('is empty at the start', () => {
    expect(writePlace(START)).toBe('');
    expect(readPlace('')).toEqual(START);
  });

  it('brings one back to the same place', () => {
    const place = {
      ...START,
      run: 'a/b',
      process: 'worker 1',
      finding: 0,
      event: 12,
      search: 'op:Log "two words" -nan',
      order: 'max',
      descending: true,
      columns: ['tensor', 'max'],
      tab: 'graph' as const,
      file: '/home/someone/train & co.py',
      line: 7,
      range: [10, 20] as const,
      slice: '[0, :]',
      opened: ['while', 'while/body/call'],
      hops: 2,
    };
    expect(readPlace(writePlace(place))).toEqual(place);
  });

  it('leaves out what it can not read', () => {
    expect(readPlace('#event=-3&tab=nothing&from=9&to=3&line=x')).toEqual(START);
  });
});
