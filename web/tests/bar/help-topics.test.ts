import { describe, expect, it } from 'vitest';
import { fitting, TOPICS } from '../../src/bar/help-topics';
import { BINDINGS } from '../../src/bar/keys';

const codes = (typed: string): string[] =>
  fitting(TOPICS, typed).flatMap(({ entries }) => entries.flatMap((each) => each.codes));

describe('the help', () => {
  it('has every key once under its topics', () => {
    const said = TOPICS.slice(0, 4).flatMap(({ entries }) => entries.flatMap((each) => each.codes));
    for (const { keys } of BINDINGS) for (const key of keys) expect(said.filter((each) => each === key)).toEqual([key]);
  });

  it('is narrowed to what has all words typed, of key, meaning or topic', () => {
    expect(codes('  ')).toEqual(TOPICS.flatMap(({ entries }) => entries.flatMap((each) => each.codes)));
    expect(codes('finding')).toEqual(['n', 'p']);
    expect(codes('Finding NEXT')).toEqual(['n']);
    expect(codes('graph open')).toContain('Enter');
    expect(codes('ctrl')).toEqual(['Ctrl K']);
    expect(fitting(TOPICS, 'no such thing')).toEqual([]);
  });
});
