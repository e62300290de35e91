/**
 * Where a table of any length stands, downwards or sideways. What counts is the row (or column) at the top; the height that the browser scrolls is bounded
 * (Firefox draws none above about 17 million pixels, Chromium none above 33 million), so that for a long table the
 * scrollbar shows the place in proportion.
 */

/** Height of a row of the page's tables in pixels, that of `--row`. */
export const ROW = 26;

const TALLEST = 12_000_000;

/** A table as it is scrolled. */
export interface Extent {
  /** How many rows it has. */
  readonly total: number;
  /** Height of the room for rows, in pixels. */
  readonly room: number;
  /** Height of a row in pixels. */
  readonly unit: number;
}

/** Height of all that is scrolled, in pixels. */
export function height({ total, unit }: Extent): number {
  return Math.min(total * unit, TALLEST);
}

/** Whether the scrollbar has not a pixel for each pixel of the table. */
export function scaled({ total, unit }: Extent): boolean {
  return total * unit > TALLEST;
}

/** The largest row that can be at the top, with its fraction. */
export function lastTop({ total, room, unit }: Extent): number {
  return Math.max(0, total - room / unit);
}

/** A row that can be at the top, the nearest to the given one. */
export function clampTop(top: number, extent: Extent): number {
  return Math.min(Math.max(0, top), lastTop(extent));
}

/** Row at the top where the browser has scrolled so many pixels. */
export function topAt(scrolled: number, extent: Extent): number {
  const range = height(extent) - extent.room;
  if (range <= 0) return 0;
  return clampTop(scaled(extent) ? (scrolled / range) * lastTop(extent) : scrolled / extent.unit, extent);
}

/** How many pixels the browser has to scroll for a row at the top. */
export function scrolledAt(top: number, extent: Extent): number {
  const range = height(extent) - extent.room;
  if (range <= 0) return 0;
  const place = clampTop(top, extent);
  return scaled(extent) ? (place / lastTop(extent)) * range : place * extent.unit;
}

/** The top that shows a row, moved as little as needs be; a row that is far away comes to a third of the height. */
export function topShowing(row: number, top: number, extent: Extent): number {
  const rows = extent.room / extent.unit;
  if (row >= top && row + 1 <= top + rows) return top;
  const near = Math.abs(row - top) < 2 * rows;
  if (!near) return clampTop(row - rows / 3, extent);
  return clampTop(row < top ? row : row + 1 - rows, extent);
}

/** The first and the last row that are seen, also in part; the last is before the first where there are none. */
export function seen(top: number, extent: Extent): readonly [number, number] {
  const first = Math.floor(top);
  return [first, Math.min(extent.total, Math.ceil(top + extent.room / extent.unit)) - 1];
}

/** Rows that a turn of the wheel moves. */
export function wheelRows(event: Pick<WheelEvent, 'deltaY' | 'deltaMode'>, extent: Extent): number {
  if (event.deltaMode === 1) return event.deltaY;
  if (event.deltaMode === 2) return (event.deltaY * extent.room) / extent.unit;
  return event.deltaY / extent.unit;
}
