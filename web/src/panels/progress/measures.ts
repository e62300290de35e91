/** What the map of a run can show, and how its numbers become shades. */
import { count, short } from '../../parts/numbers';

interface Measure {
  readonly title: string;
  readonly about: string;
  /** `share`: from none to all; `size`: logarithmic between the least and the largest; `count`: none, or some. */
  readonly scale: 'share' | 'size' | 'count';
}

export const MEASURES: Readonly<Record<string, Measure>> = {
  activations: { title: 'Activations', about: 'Size of what each layer puts out (root mean square)', scale: 'size' },
  gradients: { title: 'Gradients', about: 'Norm of the gradients of what each layer trains', scale: 'size' },
  updates: { title: 'Updates', about: 'Updates over weights: how far each step moves what is trained', scale: 'size' },
  zeros: { title: 'Zeros', about: 'Share of zeros in what each layer puts out', scale: 'share' },
  not_finite: {
    title: 'NaN and infinities',
    about: 'Elements that are not finite, of all a layer computes',
    scale: 'count',
  },
};

/** Shades from 0 (least) to 1 for the numbers of a map; undefined where there is none. */
export function shades(
  measure: string,
  rows: readonly (readonly (number | null)[])[],
): (value: number | null) => number | undefined {
  const scale = MEASURES[measure]?.scale ?? 'size';
  if (scale === 'share') return (value) => value ?? undefined;
  if (scale === 'count') return (value) => (value === null ? undefined : value > 0 ? 1 : 0);
  const [low, high] = bounds(rows);
  return (value) => {
    if (value === null) return undefined;
    if (value <= 0 || !(high > low)) return value > 0 ? 0.5 : 0;
    return 0.08 + (0.92 * (Math.log(value) - Math.log(low))) / (Math.log(high) - Math.log(low));
  };
}

/** The least positive number and the largest. */
export function bounds(rows: readonly (readonly (number | null)[])[]): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const row of rows)
    for (const value of row)
      if (value !== null && value > 0) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
  return [low, high];
}

/** A number of a measure as one says it. */
export function said(measure: string, value: number | null): string {
  if (value === null) return 'not computed';
  const scale = MEASURES[measure]?.scale;
  if (scale === 'share') return `${short(100 * value)}% zeros`;
  if (scale === 'count') return value ? `${count(value)} not finite` : 'all finite';
  return short(value);
}
