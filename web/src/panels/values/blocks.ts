/** Elements of one slice, fetched in blocks when they come into view, and a bounded number of them kept. */
import { type Signal, signal } from '@preact/signals';
import type { ValuesView } from '../../api/types';
import { sentence } from '../../state/use-answer';

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
  /** Grows with each block that comes. */
  readonly version = signal(0);
  readonly problem = signal('');

  private readonly blocks = new Map<string, ValuesView>();
  private readonly asked = new Map<string, AbortController>();

  constructor(private readonly ask: AskBlock) {}

  /** An element, undefined where it is not there (yet). */
  element(row: number, column: number): Element | undefined {
    const block = this.blocks.get(keyOf(Math.floor(row / BLOCK), Math.floor(column / BLOCK)));
    return block?.rows[row % BLOCK]?.[column % BLOCK];
  }

  /** Says what is seen; what else was asked for is given up. */
  want(rows: Range, columns: Range): void {
    const wanted = new Map<string, readonly [number, number]>();
    for (let row = Math.floor(rows[0] / BLOCK); row <= Math.floor(rows[1] / BLOCK); row += 1) {
      for (let column = Math.floor(columns[0] / BLOCK); column <= Math.floor(columns[1] / BLOCK); column += 1) {
        wanted.set(keyOf(row, column), [row, column]);
      }
    }
    for (const [key, given] of this.asked) {
      if (wanted.has(key)) continue;
      given.abort();
      this.asked.delete(key);
    }
    for (const [key, [row, column]] of wanted) if (!this.blocks.has(key)) this.request(key, row, column);
  }

  close(): void {
    for (const given of this.asked.values()) given.abort();
    this.asked.clear();
  }

  private request(key: string, row: number, column: number): void {
    if (this.asked.has(key)) return;
    const given = new AbortController();
    this.asked.set(key, given);
    this.ask(row * BLOCK, column * BLOCK, BLOCK, given.signal).then(
      (answer) => {
        if (given.signal.aborted) return;
        this.asked.delete(key);
        this.blocks.set(key, answer);
        for (const old of this.blocks.keys()) {
          if (this.blocks.size <= KEPT) break;
          this.blocks.delete(old);
        }
        this.problem.value = '';
        this.view.value ??= answer;
        this.version.value += 1;
      },
      (error: unknown) => {
        if (given.signal.aborted) return;
        this.asked.delete(key);
        this.problem.value = sentence(error);
      },
    );
  }
}

function keyOf(row: number, column: number): string {
  return `${row} ${column}`;
}
