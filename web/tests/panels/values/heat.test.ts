import { describe, expect, it } from 'vitest';
import {
  cellSize,
  colourOf,
  drawable,
  drawnPart,
  type HeatColours,
  heatScale,
  rgbOf,
  shadeOf,
} from '../../../src/panels/values/heat';

const COLOURS: HeatColours = {
  middle: [255, 255, 255],
  negative: [0, 0, 255],
  positive: [0, 255, 0],
  nan: [255, 0, 0],
  'pos-inf': [255, 128, 0],
  'neg-inf': [200, 80, 0],
  nothing: [1, 1, 1],
};

describe('a heat map', () => {
  it('has zero in the middle where there are both signs', () => {
    const scale = heatScale(-2, 4);
    expect(shadeOf(0, scale)).toBe(0);
    expect(shadeOf(4, scale)).toBe(1);
    expect(shadeOf(-2, scale)).toBe(-0.5);
    expect(colourOf(0, COLOURS)).toEqual(COLOURS.middle);
    expect(colourOf(1, COLOURS)).toEqual(COLOURS.positive);
    expect(colourOf(-1, COLOURS)).toEqual(COLOURS.negative);
  });

  it('goes from the least to the largest where all have one sign', () => {
    const scale = heatScale(10, 12);
    expect([10, 11, 12].map((value) => shadeOf(value, scale))).toEqual([0, 0.5, 1]);
    expect(shadeOf(3, heatScale(3, 3))).toBe(0.5);
    expect([false, true].map((value) => shadeOf(value, heatScale(0, 1)))).toEqual([0, 1]);
  });

  it('gives what is not finite colours of its own', () => {
    const scale = heatScale(-1, 1);
    expect(['nan', 'inf', '-inf'].map((value) => shadeOf(value, scale))).toEqual(['nan', 'pos-inf', 'neg-inf']);
    expect(colourOf('nan', COLOURS)).toEqual(COLOURS.nan);
    expect(colourOf(shadeOf('(1+2j)', scale), COLOURS)).toEqual(COLOURS.nothing);
    expect(colourOf(shadeOf(undefined, scale), COLOURS)).toEqual(COLOURS.nothing);
    expect(['float16', 'bool', 'int64'].every(drawable)).toBe(true);
    expect(['complex64', 'string'].some(drawable)).toBe(false);
  });

  it('draws each element on a pixel at least', () => {
    const room = { width: 400, height: 200 };
    expect(cellSize(room, 4, 10)).toEqual([24, 24]);
    expect(cellSize(room, 100, 10)).toEqual([24, 2]);
    expect(cellSize(room, 500, 500)).toEqual([1, 1]);
  });

  it('draws a part of what is large, that holds what is seen', () => {
    expect(drawnPart(128, [3, 20], 500)).toEqual([0, 127]);
    for (const first of [0, 260, 740, 990]) {
      const [from, to] = drawnPart(1000, [first, first + 9], 500);
      expect(from).toBeLessThanOrEqual(first);
      expect(to).toBeGreaterThanOrEqual(first + 9);
      expect(to - from).toBeLessThan(500);
      expect(to).toBeLessThan(1000);
    }
  });

  it('reads computed colours', () => {
    expect(rgbOf('rgb(12, 34, 56)')).toEqual([12, 34, 56]);
    expect(rgbOf('rgba(12, 34, 56, 0.5)')).toEqual([12, 34, 56]);
  });
});
