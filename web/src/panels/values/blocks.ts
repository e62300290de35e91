/** Elements of one slice, fetched in blocks when they come into view, and a bounded number of them kept. */
import { type Signal, signal } from '@preact/signals';
import type { ValuesView } from '../../api/types';
import { Pieces } from '../../state/pieces';

/** Rows and columns of a block. */
export const BLOCK = 250;
const KEPT = 16;

export type Element = ValuesView['rows'][number][number];
/** Rows or columns from a first to a last one. */
export type Range = readonly [number, number];
export type AskBlock = (
  rowOffset: number,
  columnOffset: number,
  size: number,
  signal: AbortSignal,
) => Promise<ValuesView>;

export class ValueBlocks {
  /** What is known of the slice; undefined until the first block is there. */
  readonly view: Signal<ValuesView | undefined> = signal(undefined);

  /** By row and column of the block, as one number. */
  private readonly blocks: Pieces<number, ValuesView>;

  constructor(ask: AskBlock) {
    this.blocks = new Pieces(
      (key, given) => ask(Math.floor(key / ACROSS) * BLOCK, (key % ACROSS) * BLOCK, BLOCK, given),
      KEPT,
      (_, block) => {
        this.view.value ??= block;
        return true;
      },
    );
  }

  /** Grows with each block that comes. */
  get version(): Signal<number> {
    return this.blocks.version;
  }

  /** What went wrong with the last block that was asked for. */
  get problem(): Signal<string> {
    return this.blocks.problem;
  }

  /** An element, undefined where it is not there (yet). */
  element(row: number, column: number): Element | undefined {
    const block = this.blocks.get(keyOf(Math.floor(row / BLOCK), Math.floor(column / BLOCK)));
    return block?.rows[row % BLOCK]?.[column % BLOCK];
  }

  /** Says what is seen; what else was asked for is given up. */
  want(rows: Range, columns: Range): void {
    const wanted = [];
    for (let row = Math.floor(rows[0] / BLOCK); row <= Math.floor(rows[1] / BLOCK); row += 1) {
      for (let column = Math.floor(columns[0] / BLOCK); column <= Math.floor(columns[1] / BLOCK); column += 1) {
        wanted.push(keyOf(row, column));
      }
    }
    this.blocks.want(wanted);
  }

  close(): void {
    this.blocks.close();
  }
}

/** More blocks than stand side by side in any tensor; still the key of each is a number that is exact. */
const ACROSS = 2 ** 26;

function keyOf(row: number, column: number): number {
  return row * ACROSS + column;
}
