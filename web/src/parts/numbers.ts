/** Numbers as they are shown: short, with what is exact for the tooltip. */

/** What stands where there is no number. */
export const NONE = '–';

const COUNT = new Intl.NumberFormat('en-US');
const BIG = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** A count with thousands separators: `1,204`. */
export function count(value: number): string {
  return COUNT.format(value);
}

/** A count with a noun: `1 event`, `1,204 events`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A count for little room: `1.2M`; the exact one belongs into the tooltip. */
export function compact(value: number): string {
  return value < 10_000 ? count(value) : BIG.format(value);
}

/** A number in at most four significant digits: `0.0312`, `1.5e-7`. */
export function short(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '-∞';
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (Number.isInteger(value) && size < 1e6) return String(value);
  if (size >= 1e6 || size < 1e-4)
    return value
      .toExponential(2)
      .replace(/\.?0+e/, 'e')
      .replace('e+', 'e');
  return String(Number(value.toPrecision(4)));
}

/** The ends of an axis: with as many digits as tell them apart. */
export function ends(low: number, high: number): readonly [string, string] {
  let told: readonly [string, string] = [short(low), short(high)];
  for (let digits = 5; told[0] === told[1] && low !== high && digits <= 17; digits++)
    told = [String(Number(low.toPrecision(digits))), String(Number(high.toPrecision(digits)))];
  return told;
}

/** The same in full. */
export function exact(value: number | null | undefined): string {
  return value === null || value === undefined ? 'none' : String(value);
}

/** A shape or an index: `[100, 10]`; `?` where it is not known. */
export function shape(value: readonly number[] | null | undefined): string {
  return value ? `[${value.join(', ')}]` : '?';
}

/** A share of something: `12%`, `<1%`. */
export function percent(part: number, whole: number): string {
  if (!whole || !part) return '0%';
  const share = (100 * part) / whole;
  return share < 1 ? '<1%' : share > 99 && share < 100 ? '>99%' : `${Math.round(share)}%`;
}

/** A length of time in nanoseconds: `1.25 ms`. */
export function duration(ns: number): string {
  const units: readonly (readonly [number, string])[] = [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'µs'],
  ];
  if (ns >= 60e9) return `${Math.floor(ns / 60e9)} min ${Math.round((ns % 60e9) / 1e9)} s`;
  for (const [size, unit] of units) if (ns >= size) return `${Number((ns / size).toPrecision(3))} ${unit}`;
  return `${ns} ns`;
}
