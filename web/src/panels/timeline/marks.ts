/**
 * What is drawn of a lane: its executions as marks at pixels. However many there are, no more marks than pixels come
 * of them, and none that is bad is lost.
 */
import type { Bin, Lane, Span } from '../../api/types';
import { timeToX, type View } from './view';

/** Whether something is wrong: with a tensor of it, with itself, or nothing; `plain` where nothing was recorded of it. */
export type State = 'bad' | 'failed' | 'fine' | 'plain';

/** One execution, or some that stand at the same pixel. */
export interface Mark {
  readonly x: number;
  readonly width: number;
  /** A call of a function, or an operation run by itself. */
  readonly eager: boolean;
  readonly state: State;
  readonly span: Span;
  /** How many executions it stands for. */
  readonly count: number;
}

/** A short time of many executions. */
export interface Bar {
  readonly x: number;
  readonly width: number;
  /** Share of the time in which a function ran, 0 to 1. */
  readonly busy: number;
  /** Share of the height for operations run by themselves, 0 to 1. */
  readonly eager: number;
  readonly bad: boolean;
  readonly bin: Bin;
}

/** An operation run by itself has no length; it is drawn this wide where there is room. */
const EAGER_WIDTH = 13;
const LEAST = 2;

/** How an execution fares. */
export function stateOf(span: Span): State {
  if (span.non_finite > 0) return 'bad';
  if (span.failed) return 'failed';
  return span.events > 0 ? 'fine' : 'plain';
}

/** The executions of a lane that are in view, those first that are drawn first. */
export function marksOf(lane: Lane, view: View, width: number): readonly Mark[] {
  const marks: Mark[] = [];
  const lasts = new Map<string, number>();
  const shown = inOrder(lane.spans);
  for (let index = 0; index < shown.length; index += 1) {
    const span = shown[index] as Span;
    const x = timeToX(view, width, span.begin_ns);
    if (x > width) break;
    const end = Math.max(timeToX(view, width, span.end_ns), x + roomAfter(shown, index, view, width));
    if (end < 0) continue;
    add(marks, { x, width: Math.max(end - x, LEAST), eager: span.eager, state: stateOf(span), span, count: 1 }, lasts);
  }
  return marks;
}

/** The bins of a lane that are in view. */
export function barsOf(lane: Lane, view: View, width: number): readonly Bar[] {
  return lane.bins.flatMap((bin) => {
    const x = timeToX(view, width, bin.begin_ns);
    const end = timeToX(view, width, bin.end_ns);
    if (end < 0 || x > width) return [];
    return [
      {
        x,
        width: Math.max(end - x, 1),
        busy: bin.functions ? Math.max(bin.busy, 0.15) : bin.busy,
        eager: bin.eager ? Math.min(0.2 + 0.1 * Math.log2(1 + bin.eager), 1) : 0,
        bad: bin.non_finite > 0,
        bin,
      },
    ];
  });
}

/** The mark under a pixel, or else the nearest one within reach; of several the bad one, then the narrowest. */
export function markAt(marks: readonly Mark[], x: number, reach = 4): Mark | undefined {
  let best: Mark | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const mark of marks) {
    const distance = Math.max(mark.x - x, x - (mark.x + mark.width), 0);
    if (distance > reach) continue;
    const rank = distance * 1e6 + (mark.state === 'bad' ? 0 : 1e5) + Math.min(mark.width, 9e4);
    if (rank < bestRank) [best, bestRank] = [mark, rank];
  }
  return best;
}

/** The bin under a pixel. */
export function barAt(bars: readonly Bar[], x: number): Bar | undefined {
  return bars.find((bar) => x >= bar.x && x <= bar.x + bar.width);
}

/** Places where a sign for something bad is drawn: not closer than they can be told apart. */
export function signs(places: readonly number[], apart = 9): readonly number[] {
  const kept: number[] = [];
  for (const place of [...places].sort((one, other) => one - other)) {
    const last = kept[kept.length - 1];
    if (last === undefined || place - last >= apart) kept.push(place);
  }
  return kept;
}

function roomAfter(spans: readonly Span[], index: number, view: View, width: number): number {
  const next = spans[index + 1];
  const span = spans[index] as Span;
  if (!span.eager) return LEAST;
  if (!next) return EAGER_WIDTH;
  const room = timeToX(view, width, next.begin_ns) - timeToX(view, width, span.begin_ns) - 1;
  return Math.min(Math.max(room, LEAST), EAGER_WIDTH);
}

/** Joins what would cover what was drawn before: the same kind and state within the same pixel. */
function add(marks: Mark[], mark: Mark, lasts: Map<string, number>): void {
  const kind = `${mark.eager} ${mark.state}`;
  const index = lasts.get(kind);
  const last = index === undefined ? undefined : marks[index];
  if (index !== undefined && last && mark.width < LEAST + 0.1 && mark.x - last.x < 1) {
    marks[index] = { ...last, count: last.count + 1 };
  } else {
    lasts.set(kind, marks.length);
    marks.push(mark);
  }
}

function inOrder(spans: readonly Span[]): readonly Span[] {
  const sorted = spans.every((span, index) => index === 0 || (spans[index - 1] as Span).begin_ns <= span.begin_ns);
  return sorted ? spans : [...spans].sort((one, other) => one.begin_ns - other.begin_ns);
}
