import { describe, expect, it } from 'vitest';
import {
  atEnd,
  between,
  isWhole,
  NARROWEST,
  panned,
  showing,
  timeToX,
  touchesEnd,
  wholeView,
  withMargin,
  xToTime,
  zoomed,
} from '../../../src/panels/timeline/view';
import { FIRST } from './made';

const WHOLE = wholeView(FIRST, FIRST + 10e9);
const length = ({ begin, end }: { begin: number; end: number }): number => end - begin;

describe('the view of the timeline', () => {
  it('has room for a trace that lasted no time', () => {
    expect(length(wholeView(FIRST, FIRST))).toBeGreaterThan(0);
  });

  it('brings a time to a pixel and back', () => {
    const time = xToTime(WHOLE, 1000, 250);
    expect(time - FIRST).toBeCloseTo(2.5e9, -4);
    expect(timeToX(WHOLE, 1000, time)).toBeCloseTo(250, 3);
  });

  it('zooms around a time that stays where it is', () => {
    const around = FIRST + 4e9;
    const near = zoomed(WHOLE, WHOLE, around, 0.1);
    expect(length(near)).toBeCloseTo(1e9, -4);
    expect(timeToX(near, 1000, around)).toBeCloseTo(400, 1);
  });

  it('zooms no further out than all, and no further in than clocks tell apart', () => {
    expect(zoomed(WHOLE, WHOLE, FIRST, 3)).toEqual(WHOLE);
    expect(length(zoomed(WHOLE, WHOLE, FIRST + 5e9, 1e-12))).toBeCloseTo(NARROWEST, -4);
  });

  it('moves no further than the ends', () => {
    const part = between(FIRST + 1e9, FIRST + 2e9, WHOLE);
    expect(panned(part, WHOLE, -5e9).begin).toBe(WHOLE.begin);
    expect(panned(part, WHOLE, 50e9).end).toBeCloseTo(WHOLE.end, -4);
    expect(length(panned(part, WHOLE, 50e9))).toBeCloseTo(1e9, -4);
  });

  it('takes what is marked from right to left like from left to right', () => {
    expect(between(FIRST + 3e9, FIRST + 1e9, WHOLE)).toEqual(between(FIRST + 1e9, FIRST + 3e9, WHOLE));
  });

  it('moves to an execution that is out of view, and stays for one that is in it', () => {
    const part = between(FIRST + 1e9, FIRST + 2e9, WHOLE);
    expect(showing(part, WHOLE, FIRST + 1.5e9, FIRST + 1.6e9)).toBe(part);
    const other = showing(part, WHOLE, FIRST + 7e9, FIRST + 7.1e9);
    expect(other.begin).toBeLessThan(FIRST + 7e9);
    expect(other.end).toBeGreaterThan(FIRST + 7.1e9);
    expect(length(other)).toBeCloseTo(1e9, -4);
    // One that is longer than the view is seen whole.
    expect(length(showing(part, WHOLE, FIRST + 3e9, FIRST + 7e9))).toBeGreaterThan(4e9);
  });

  it('goes on with the end when it stood there', () => {
    const part = { begin: FIRST + 8e9, end: FIRST + 10e9 };
    expect(touchesEnd(part, FIRST + 10e9)).toBe(true);
    expect(touchesEnd(part, FIRST + 11e9)).toBe(false);
    expect(atEnd(part, FIRST + 12e9)).toEqual({ begin: FIRST + 10e9, end: FIRST + 12e9 });
  });

  it('asks for more than is in view, within what there is', () => {
    const asked = withMargin({ begin: FIRST, end: FIRST + 2e9 }, WHOLE);
    expect(asked).toEqual({ begin: FIRST, end: FIRST + 3e9 });
    expect(isWhole(WHOLE, WHOLE)).toBe(true);
    expect(isWhole(asked, WHOLE)).toBe(false);
  });
});
