/** The whole time in columns of pixels, all lanes together, for the strip below the timeline. */
import type { Timeline } from '../../api/types';
import { timeToX, wholeView } from './view';

export interface Columns {
  /** How much was going on, 0 to 1, for each pixel. */
  readonly busy: Float32Array;
  /** Pixels at which something bad is. */
  readonly bad: readonly number[];
}

/** The columns of a drawing that is so wide. */
export function columnsOf(whole: Timeline, width: number): Columns {
  const time = wholeView(whole.first_ns, whole.last_ns);
  const busy = new Float32Array(Math.max(Math.ceil(width), 1));
  const bad = new Set<number>();
  const put = (begin: number, end: number, amount: number, isBad: boolean): void => {
    const from = Math.max(Math.floor(timeToX(time, width, begin)), 0);
    const to = Math.min(Math.max(Math.ceil(timeToX(time, width, end)), from + 1), busy.length);
    for (let x = from; x < to; x += 1) busy[x] = Math.min(Math.max(busy[x] ?? 0, amount), 1);
    if (isBad) bad.add(Math.min(from, busy.length - 1));
  };
  for (const lane of whole.lanes) {
    for (const span of lane.spans) put(span.begin_ns, span.end_ns, span.eager ? 0.35 : 0.8, span.non_finite > 0);
    for (const bin of lane.bins) {
      const eager = bin.eager ? 0.35 : 0;
      put(bin.begin_ns, bin.end_ns, Math.max(bin.functions ? 0.25 + 0.55 * bin.busy : 0, eager), bin.non_finite > 0);
    }
  }
  return { busy, bad: [...bad].sort((one, other) => one - other) };
}
