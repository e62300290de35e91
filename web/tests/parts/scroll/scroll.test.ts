import { describe, expect, it } from 'vitest';
import {
  height,
  lastTop,
  ROW,
  scaled,
  scrolledAt,
  seen,
  topAt,
  topShowing,
  wheelRows,
} from '../../../src/parts/scroll/scroll';

const SMALL = { total: 1000, room: 260, unit: ROW };
const HUGE = { total: 10_000_000, room: 260, unit: ROW };
const BROWSERS_LIMIT = 17_000_000;

describe('a table that fits the scrollbar', () => {
  it('is scrolled pixel by pixel', () => {
    expect(scaled(SMALL)).toBe(false);
    expect(height(SMALL)).toBe(1000 * ROW);
    expect(topAt(13, SMALL)).toBe(0.5);
    expect(scrolledAt(990, SMALL)).toBe(990 * ROW);
  });

  it('ends with its last row at the bottom', () => {
    expect(lastTop(SMALL)).toBe(990);
    expect(seen(lastTop(SMALL), SMALL)).toEqual([990, 999]);
  });

  it('does not scroll where all fits', () => {
    expect(lastTop({ total: 3, room: 260, unit: ROW })).toBe(0);
    expect(seen(0, { total: 3, room: 260, unit: ROW })).toEqual([0, 2]);
    expect(seen(0, { total: 0, room: 260, unit: ROW })).toEqual([0, -1]);
  });
});

describe('a table of ten million rows', () => {
  it('is no taller than a browser can draw', () => {
    expect(scaled(HUGE)).toBe(true);
    expect(height(HUGE)).toBeLessThan(BROWSERS_LIMIT);
  });

  it('is at its ends where the scrollbar is', () => {
    expect(topAt(0, HUGE)).toBe(0);
    expect(topAt(height(HUGE) - HUGE.room, HUGE)).toBe(lastTop(HUGE));
    expect(seen(lastTop(HUGE), HUGE)[1]).toBe(9_999_999);
  });

  it('comes back to the same row', () => {
    for (const top of [0, 1, 12_345.5, 5_000_001, lastTop(HUGE)]) {
      expect(topAt(scrolledAt(top, HUGE), HUGE)).toBeCloseTo(top, 3);
    }
  });
});

describe('showing a row', () => {
  it('moves nothing where it is seen', () => {
    expect(topShowing(12, 10, SMALL)).toBe(10);
  });

  it('moves as little as needs be to one nearby', () => {
    expect(topShowing(20, 10, SMALL)).toBe(11);
    expect(topShowing(9, 10, SMALL)).toBe(9);
  });

  it('leaves rows around one that is far away', () => {
    const top = topShowing(500, 10, SMALL);
    expect(top).toBeLessThan(500);
    expect(top + 10).toBeGreaterThan(501);
    expect(topShowing(999, 0, SMALL)).toBe(lastTop(SMALL));
  });
});

it('takes the wheel in pixels, lines and pages', () => {
  expect(wheelRows({ deltaY: 52, deltaMode: 0 }, HUGE)).toBe(2);
  expect(wheelRows({ deltaY: -3, deltaMode: 1 }, HUGE)).toBe(-3);
  expect(wheelRows({ deltaY: 1, deltaMode: 2 }, HUGE)).toBe(10);
});
