import { expect, test } from 'vitest';
import type { AnswerTable } from '../../../src/api/types';
import { chartOf, extent, piecesOf } from '../../../src/panels/sql/chart-of';

type Rows = AnswerTable['rows'];

function table(columns: Readonly<Record<string, boolean>>, rows: Rows): AnswerTable {
  const described = Object.entries(columns).map(([name, numeric]) => ({ name, numeric }));
  return { columns: described, rows, total: rows.length };
}

test('numbers are drawn over the first column, in its order', () => {
  const answer = table({ step: true, loss: true, file: false }, [
    [2, 0.5, 'a'],
    [1, 'nan', 'b'],
    [0, 3, 'c'],
  ]);
  expect(chartOf(answer)).toEqual({
    kind: 'lines',
    over: 'step',
    x: [0, 1, 2],
    series: [{ name: 'loss', values: [3, undefined, 0.5] }],
  });
});

test('names have bars, and one column alone is drawn over its rows', () => {
  const counted = table({ op_type: false, n: true }, [
    ['Log', 3],
    [null, 1],
  ]);
  expect(chartOf(counted)).toEqual({ kind: 'bars', names: ['Log', 'NULL'], series: { name: 'n', values: [3, 1] } });
  expect(chartOf(table({ max: true }, [[1], [5]]))).toMatchObject({ over: 'row', x: [0, 1] });
});

test('words alone and a single row are no drawing', () => {
  expect(chartOf(table({ name: false }, [['a'], ['b']]))).toBeUndefined();
  expect(chartOf(table({ n: true, m: true }, [[1, 2]]))).toBeUndefined();
});

test('a line is broken where a number is missing', () => {
  expect(extent([undefined, 3, -1])).toEqual([-1, 3]);
  expect(extent([undefined])).toBeUndefined();
  expect(piecesOf([0, 1, 2], [0, undefined, 2], [0, 2], [0, 2])).toEqual(['0.00,98.00', '100.00,2.00']);
  expect(piecesOf([5], [1], [5, 5], [1, 1])).toEqual(['50.00,50.00']);
});
