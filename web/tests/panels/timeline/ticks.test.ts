import { describe, expect, it } from 'vitest';
import { roundStep, sinceStart, ticks } from '../../../src/panels/timeline/ticks';
import { FIRST } from './made';

describe('the axis of the timeline', () => {
  it('has round times, not too many of them', () => {
    const texts = ticks({ begin: FIRST, end: FIRST + 10e9 }, FIRST, 1000).map((tick) => tick.text);
    expect(texts).toEqual(['0 s', '2 s', '4 s', '6 s', '8 s', '10 s']);
  });

  it('tells apart times that are close together far from the beginning', () => {
    const view = { begin: FIRST + 12.345e9, end: FIRST + 12.346e9 };
    const texts = ticks(view, FIRST, 1000).map((tick) => tick.text);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts[0]).toMatch(/^12\.345\d s$/);
  });

  it('uses one unit for all ticks', () => {
    const texts = ticks({ begin: FIRST, end: FIRST + 40e6 }, FIRST, 1000).map((tick) => tick.text);
    expect(texts[0]).toBe('0 ms');
    expect(texts.every((text) => text.endsWith(' ms'))).toBe(true);
  });

  it('knows minutes and hours', () => {
    expect(roundStep(40e9)).toBe(60e9);
    expect(roundStep(25e9)).toBe(30e9);
    expect(sinceStart(125e9, 30e9)).toBe('2:05');
    expect(sinceStart(3725e9, 60e9)).toBe('1:02:05');
    expect(sinceStart(185.25e9, 1e7)).toBe('3:05.25');
  });

  it.each([
    [1.5e3, 100, '1.5 µs'],
    [12.3e6, 1e5, '12.3 ms'],
    [-2e6, 1e6, '-2 ms'],
    [0, 1e3, '0 µs'],
  ])('writes %d ns as %s', (time, step, text) => {
    expect(sinceStart(time, step)).toBe(text);
  });
});
