import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../../src/panels/timeline/columns';
import { HIGHEST, heightOf, LOWEST, rowAt, rowsOf, sameLane } from '../../../src/panels/timeline/lanes';
import { bin, FIRST, lane, span, timeline } from './made';

const many = (count: number) =>
  timeline(
    Array.from({ length: count }, (_, thread) => lane({ lane: thread, thread })),
    1e9,
  );

describe('lanes', () => {
  it('share the room, but stay readable', () => {
    expect(rowsOf(many(2), 70).map((row) => row.height)).toEqual([35, 35]);
    expect(rowsOf(many(1), 500)[0]?.height).toBe(HIGHEST);
    const rows = rowsOf(many(40), 100);
    expect(rows[0]?.height).toBe(LOWEST);
    expect(heightOf(rows)).toBe(40 * LOWEST);
    expect(rowAt(rows, 3 * LOWEST + 1)?.lane.thread).toBe(3);
    expect(rowAt(rows, 40 * LOWEST)).toBeUndefined();
  });

  it('are found again in an answer that has not all of them', () => {
    const part = timeline([lane({ lane: 0, thread: 7 }), lane({ lane: 1, thread: 7, device: 'GPU:0' })], 1);
    expect(sameLane(part, lane({ lane: 5, thread: 7, device: 'GPU:0' }))?.lane).toBe(1);
    expect(sameLane(part, lane({ thread: 8 }))).toBeUndefined();
  });
});

describe('the strip of all of the time', () => {
  it('shows what all lanes did, and each bad place', () => {
    const spans = [
      span({ eager: false, end_ns: FIRST + 0.25e9 }),
      span({ begin_ns: FIRST + 1e9, end_ns: FIRST + 1e9, non_finite: 1 }),
    ];
    const bins = [bin({ begin_ns: FIRST + 0.5e9, end_ns: FIRST + 0.51e9, functions: 2, busy: 1, non_finite: 1 })];
    const { busy, bad } = columnsOf(timeline([lane({ spans }), lane({ thread: 2, bins })], 1e9), 100);
    expect(busy[10]).toBeGreaterThan(0);
    expect(busy[40]).toBe(0);
    expect(busy[50]).toBeGreaterThan(0);
    expect(bad).toEqual([50, 99]);
  });
});
