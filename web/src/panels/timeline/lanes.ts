/** Where the lanes stand: one below the other, as high as there is room, but no lower than can be read. */
import type { Lane, Timeline } from '../../api/types';

export interface Row {
  readonly lane: Lane;
  readonly top: number;
  readonly height: number;
}

export const LOWEST = 22;
export const HIGHEST = 56;
/** So many lanes have room by default, without any being cut; more are scrolled. */
export const MOST_AT_ONCE = 4;

/** The rows of a drawing that is so high; together they may be higher, and are scrolled then. */
export function rowsOf(timeline: Timeline, room: number): readonly Row[] {
  const { lanes } = timeline;
  const height = Math.min(Math.max(Math.floor(room / Math.max(lanes.length, 1)), LOWEST), HIGHEST);
  return lanes.map((lane, index) => ({ lane, top: index * height, height }));
}

/** The height of all. */
export function heightOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + row.height, 0);
}

/** The row at a height of the drawing. */
export function rowAt(rows: readonly Row[], y: number): Row | undefined {
  return rows.find((row) => y >= row.top && y < row.top + row.height);
}

/** The same lane in another answer, which may have those only that have something in its range. */
export function sameLane(timeline: Timeline, lane: Lane): Lane | undefined {
  return timeline.lanes.find((each) => each.thread === lane.thread && each.device === lane.device);
}
