import { expect, test } from 'vitest';
import type { EventRow } from '../../src/api/types';
import { bareName, searchEntries, tensorEntries } from '../../src/palette/entries';

const row = (event: number, tensor: string): EventRow =>
  ({ event, tensor, op_type: 'Log', function: 'step', execution: 1 }) as EventRow;

test('a tensor of many events is one entry', () => {
  const rows = [row(1, 'Log:0'), row(2, 'Log:0'), row(3, 'Exp:0')];
  expect(tensorEntries(rows).map(({ words }) => words)).toEqual(['Log:0', 'Exp:0']);
});

test("a name is asked for without its slot and without the search's own signs", () => {
  expect(bareName('Log:0')).toBe('Log');
  expect(bareName('theme: dark')).toBe('theme dark');
  expect(bareName('op:Log step:3')).toBe('');
  expect(bareName('-dense "probs')).toBe('dense  probs');
});

test('any text can be searched for', () => {
  expect(searchEntries('op:Log').map(({ words }) => words)).toEqual(['events: op:Log', 'in the graph: op:Log']);
  expect(searchEntries('')).toEqual([]);
});
