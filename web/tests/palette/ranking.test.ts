import { expect, test } from 'vitest';
import { type Entry, ranked, score } from '../../src/palette/ranking';

const entry = (words: string, more = '', kind = 'do'): Entry => ({ kind, words, more, run: () => undefined });
const NAMES = ['next finding', 'previous finding', 'find in the graph', 'theme: dark'].map((words) => entry(words));

function found(typed: string): readonly string[] {
  return ranked(NAMES, typed, 10).map(({ words }) => words);
}

test('a word at the beginning comes before one at the beginning of a word, and that before one inside', () => {
  expect(found('find')).toEqual(['find in the graph', 'next finding', 'previous finding']);
  expect(found('ark')).toEqual(['theme: dark']);
});

test('all words must be there, in any order, and case does not matter', () => {
  expect(found('FINDING next')).toEqual(['next finding']);
  expect(found('finding nowhere')).toEqual([]);
});

test('first letters find a name, and nothing typed finds all', () => {
  expect(found('nf')).toEqual(['next finding']);
  expect(found('')).toHaveLength(4);
});

test('what stands beside the name and the kind count less', () => {
  const [file, named] = [entry('train.py', '/runs/loss/train.py', 'file'), entry('loss:0')];
  expect(score(file, 'loss')).toBeLessThan(score(named, 'loss') ?? 0);
  expect(score(file, 'file')).toBe(1);
});
