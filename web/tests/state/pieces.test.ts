import { describe, expect, it } from 'vitest';
import { Pieces } from '../../src/state/pieces';

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Pieces that hold their key and how often it was asked for. */
function counted(most: number): { readonly pieces: Pieces<number, string>; readonly signals: AbortSignal[] } {
  const signals: AbortSignal[] = [];
  const times = new Map<number, number>();
  const ask = (key: number, signal: AbortSignal): Promise<string> => {
    signals.push(signal);
    times.set(key, (times.get(key) ?? 0) + 1);
    return Promise.resolve(`${key}, ${times.get(key)}`);
  };
  return { pieces: new Pieces(ask, most, () => true), signals };
}

describe('pieces', () => {
  it('are fetched once, and again when they are spoilt and wanted', async () => {
    const { pieces } = counted(9);
    pieces.want([1, 2]);
    await settled();
    pieces.want([1, 2]);
    await settled();
    expect(pieces.get(1)).toBe('1, 1');
    pieces.spoil((key) => key === 2);
    expect(pieces.get(2)).toBe('2, 1');
    expect([pieces.isFresh(1), pieces.isFresh(2)]).toEqual([true, false]);
    pieces.want([1, 2]);
    await settled();
    expect([pieces.get(1), pieces.get(2)]).toEqual(['1, 1', '2, 2']);
  });

  it('are kept in a bounded number, and all that are wanted', async () => {
    const { pieces } = counted(2);
    for (const key of [1, 2, 3]) {
      pieces.want([key]);
      await settled();
    }
    expect([...pieces.entries()].map(([key]) => key)).toEqual([2, 3]);
    pieces.want([4, 5, 6]);
    await settled();
    expect([...pieces.entries()].map(([key]) => key)).toEqual([4, 5, 6]);
  });

  it('are given up when something else is wanted, or nothing any more', async () => {
    const { pieces, signals } = counted(9);
    pieces.want([1]);
    pieces.want([2]);
    expect(signals.map((each) => each.aborted)).toEqual([true, false]);
    pieces.close();
    await settled();
    expect([...pieces.entries()]).toEqual([]);
    expect(pieces.busy).toBe(false);
  });
});
