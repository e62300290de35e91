import { describe, expect, it } from 'vitest';
import type { ValuesView } from '../../../src/api/types';
import { BLOCK, ValueBlocks } from '../../../src/panels/values/blocks';

const SIZE = 1000;

/** A square whose elements are their row and column as one number. */
class Square {
  readonly asked: { readonly key: string; readonly signal: AbortSignal; readonly answer: () => void }[] = [];

  readonly ask = (row: number, column: number, size: number, signal: AbortSignal): Promise<ValuesView> =>
    new Promise((resolve) => {
      const line = (at: number): number[] => Array.from({ length: size }, (_, index) => at * SIZE + column + index);
      const view: ValuesView = {
        event: 0,
        dtype: 'int64',
        shape: [SIZE, SIZE],
        slice: '[:, :]',
        slice_shape: [SIZE, SIZE],
        row_offset: row,
        column_offset: column,
        rows_total: SIZE,
        columns_total: SIZE,
        rows: Array.from({ length: size }, (_, index) => line(row + index)),
        min: 0,
        max: SIZE * SIZE - 1,
      };
      this.asked.push({ key: `${row} ${column}`, signal, answer: () => resolve(view) });
    });

  async answer(): Promise<void> {
    for (const { answer } of this.asked) answer();
    await new Promise((resolve) => setTimeout(resolve));
  }
}

describe('blocks of elements', () => {
  it('are fetched where they are seen', async () => {
    const square = new Square();
    const blocks = new ValueBlocks(square.ask);
    blocks.want([BLOCK - 5, BLOCK + 5], [3, 9]);
    await square.answer();
    expect(square.asked.map(({ key }) => key)).toEqual(['0 0', `${BLOCK} 0`]);
    expect(blocks.element(BLOCK + 1, 4)).toBe((BLOCK + 1) * SIZE + 4);
    expect(blocks.element(0, BLOCK)).toBeUndefined();
    expect(blocks.view.value?.rows_total).toBe(SIZE);
  });

  it('are asked for once, and given up when they are no longer seen', async () => {
    const square = new Square();
    const blocks = new ValueBlocks(square.ask);
    blocks.want([0, 9], [0, 9]);
    blocks.want([0, 9], [0, 9]);
    expect(square.asked).toHaveLength(1);
    blocks.want([700, 709], [0, 9]);
    expect(square.asked[0]?.signal.aborted).toBe(true);
    expect(square.asked[1]?.signal.aborted).toBe(false);
    await square.answer();
    expect(blocks.element(0, 0)).toBeUndefined();
    expect(blocks.element(700, 0)).toBe(700 * SIZE);
  });
});
