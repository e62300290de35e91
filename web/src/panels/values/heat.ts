/** What a heat map shows of an element: a place on the scale of colours, or a kind of its own. */
import type { Element, Range } from './blocks';

export type Bad = 'nan' | 'pos-inf' | 'neg-inf';
/** A number is a share of the scale: -1 to 1 around zero, 0 to 1 where all have one sign. */
export type Shade = number | Bad | undefined;

/** The scale of finite elements. */
export interface HeatScale {
  readonly low: number;
  readonly high: number;
  /** Whether zero has a colour of its own, with one side for each sign. */
  readonly around: boolean;
}

export function heatScale(low: number | null, high: number | null): HeatScale {
  const [least, most] = [low ?? 0, high ?? 0];
  return { low: least, high: most, around: least < 0 && most > 0 };
}

/** Undefined for what has no place on a scale: a text, a complex number, what is not there yet. */
export function shadeOf(element: Element | undefined, scale: HeatScale): Shade {
  if (element === 'nan') return 'nan';
  if (element === 'inf') return 'pos-inf';
  if (element === '-inf') return 'neg-inf';
  const value = typeof element === 'boolean' ? Number(element) : element;
  if (typeof value !== 'number') return undefined;
  const { low, high, around } = scale;
  if (around) return value / Math.max(-low, high);
  return high > low ? (value - low) / (high - low) : 0.5;
}

/** Whether a slice of such elements can be drawn at all. */
export function drawable(dtype: string): boolean {
  return !/complex|string|resource|variant/.test(dtype);
}

const LARGEST = 24;

/** Pixels of one element, across and down: as large as there is room for all, and never less than one. */
export function cellSize(
  room: { readonly width: number; readonly height: number },
  rows: number,
  columns: number,
): readonly [number, number] {
  const pixelsOf = (pixels: number, cells: number): number =>
    Math.min(LARGEST, Math.max(1, Math.floor(pixels / Math.max(1, cells))));
  return [pixelsOf(room.width, columns), pixelsOf(room.height, rows)];
}

/** Which elements are drawn around those that the table shows: all where there are few, else a part that moves along. */
export function drawnPart(total: number, seen: Range, most: number): Range {
  if (total <= most) return [0, total - 1];
  const half = most / 2;
  const first = Math.min(Math.floor(seen[0] / half) * half, Math.ceil(total / half) * half - most);
  return [first, Math.min(total, first + most) - 1];
}

export type Rgb = readonly [number, number, number];

/** The colours of a heat map, as red, green and blue. */
export interface HeatColours {
  readonly middle: Rgb;
  readonly negative: Rgb;
  readonly positive: Rgb;
  readonly nan: Rgb;
  readonly 'pos-inf': Rgb;
  readonly 'neg-inf': Rgb;
  readonly nothing: Rgb;
}

export function colourOf(shade: Shade, colours: HeatColours): Rgb {
  if (shade === undefined) return colours.nothing;
  if (typeof shade === 'string') return colours[shade];
  const end = shade < 0 ? colours.negative : colours.positive;
  // A root brings out what is small beside the largest.
  const share = Math.min(1, Math.sqrt(Math.abs(shade)));
  return colours.middle.map((from, index) => Math.round(from + share * ((end[index] ?? 0) - from))) as unknown as Rgb;
}

/** Red, green and blue of a computed colour, `rgb(1, 2, 3)`. */
export function rgbOf(colour: string): Rgb {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

export const SIGNS: Readonly<Record<Bad, string>> = { nan: '×', 'pos-inf': '▲', 'neg-inf': '▼' };
