/** Slices as in NumPy: which axes a table shows, and where an element of it lies in the tensor. */

/** One item of a slice: a number, or a range of which the first and the step are known. */
export type Item =
  | { readonly kind: 'number'; readonly at: number }
  | { readonly kind: 'range'; readonly first: number; readonly step: number; readonly count: number };

/** The items of a slice that the server took, `[0, :, 1:9:2]`; undefined where it is not understood. */
export function itemsOf(slice: string, shape: readonly number[]): readonly Item[] | undefined {
  const parts = slice.replace(/^\[|\]$/g, '').split(',');
  const given = parts.map((part) => part.trim()).filter(Boolean);
  if (given.length !== shape.length) return undefined;
  const items = given.map((text, axis) => itemOf(text, shape[axis] ?? 0));
  return items.every((item) => item !== undefined) ? items : undefined;
}

function itemOf(text: string, size: number): Item | undefined {
  if (/^-?\d+$/.test(text)) {
    const at = Number(text);
    return { kind: 'number', at: at < 0 ? at + size : at };
  }
  const parts = /^(-?\d*):(-?\d*)(?::(-?\d*))?$/.exec(text);
  if (!parts) return undefined;
  const step = parts[3] ? Number(parts[3]) : 1;
  if (!step) return undefined;
  const end = (given: string | undefined, usual: number): number => {
    if (!given) return usual;
    const value = Number(given);
    return Math.min(Math.max(value < 0 ? value + size : value, step < 0 ? -1 : 0), step < 0 ? size - 1 : size);
  };
  const first = end(parts[1], step < 0 ? size - 1 : 0);
  const last = end(parts[2], step < 0 ? -1 : size);
  return { kind: 'range', first, step, count: Math.max(0, Math.ceil((last - first) / step)) };
}

/** The index in the tensor of an element of the table. A vector is one row. */
export function indexOf(items: readonly Item[], row: number, column: number): readonly number[] {
  const ranges = items.filter((item) => item.kind === 'range').length;
  const place = ranges === 2 ? [row, column] : [column];
  return items.map((item) => (item.kind === 'number' ? item.at : item.first + item.step * (place.shift() ?? 0)));
}

/** Where an element of the tensor stands in the table, as row and column; undefined where the slice leaves it out. */
export function placeOf(items: readonly Item[], index: readonly number[]): readonly [number, number] | undefined {
  const place: number[] = [];
  for (const [axis, item] of items.entries()) {
    const at = index[axis] ?? -1;
    if (item.kind === 'number') {
      if (item.at !== at) return undefined;
      continue;
    }
    // A sum with zero is never -0.
    const steps = (at - item.first) / item.step + 0;
    if (!Number.isInteger(steps) || steps < 0 || steps >= item.count) return undefined;
    place.push(steps);
  }
  const [first = 0, second] = place;
  return second === undefined ? [0, first] : [first, second];
}

/** The slice with another number at one of its axes, kept between the first and the last. */
export function withNumber(slice: string, axis: number, at: number, size: number): string {
  const parts = slice.replace(/^\[|\]$/g, '').split(',');
  parts[axis] = ` ${Math.min(Math.max(0, at), size - 1)}`;
  return `[${parts.map((part) => part.trim()).join(', ')}]`;
}
