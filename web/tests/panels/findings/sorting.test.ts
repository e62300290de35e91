import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/api/types';
import { countLevels, grouped, toggled } from '../../../src/panels/findings/sorting';

const finding = (number: number, level: string, title: string): Finding =>
  ({ number, level, title, kind: 'origin', cause: 'log_of_zero', explanation: '', also: [] }) as unknown as Finding;

const ALL = [
  finding(0, 'trouble', 'Log made -inf'),
  finding(1, 'harmless', 'Sub made NaN'),
  finding(2, 'trouble', 'Div made NaN'),
];

const numbers = (filter: string, levels: readonly string[] = []) =>
  grouped(ALL, filter, levels).map(({ level, findings }) => [level.name, ...findings.map((each) => each.number)]);

describe('the findings', () => {
  it('stand level by level, in their order', () => {
    expect(numbers('')).toEqual([
      ['trouble', 0, 2],
      ['harmless', 1],
    ]);
    expect(countLevels(ALL).get('trouble')).toBe(2);
  });

  it('are filtered by all words, in whatever they say', () => {
    expect(numbers('NAN made')).toEqual([
      ['trouble', 2],
      ['harmless', 1],
    ]);
    expect(numbers('log_of_zero sub')).toEqual([['harmless', 1]]);
    expect(numbers('absent')).toEqual([]);
  });

  it('are filtered by level', () => {
    expect(numbers('', ['harmless'])).toEqual([['harmless', 1]]);
    expect(toggled([], 'note')).toEqual(['note']);
    expect(toggled(['note', 'trouble'], 'note')).toEqual(['trouble']);
  });
});
