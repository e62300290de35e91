/** What is in the stretch of time that is in view, summed up: how much ran, what took longest, what went wrong. */
import type { Timeline } from '../../api/types';
import type { View } from './view';

/** The calls of one function. */
export interface CallSum {
  readonly name: string;
  readonly calls: number;
  /** Time that they took within the stretch, in nanoseconds. */
  readonly took: number;
}

export interface RangeSum {
  readonly calls: number;
  readonly operations: number;
  readonly events: number;
  readonly nonFinite: number;
  /** The functions that took longest first. Empty where there is too much in view to tell one call from another. */
  readonly functions: readonly CallSum[];
  /** Numbers of the first and the last execution; undefined where calls are not told apart. */
  readonly executions: readonly [number, number] | undefined;
}

/** Sums up what overlaps a stretch of time. An execution is counted once, though it has a lane for each device too. */
export function sumUp(known: Timeline, view: View): RangeSum {
  const seen = new Set<number>();
  const functions = new Map<string, { calls: number; took: number }>();
  let [calls, operations, events, nonFinite] = [0, 0, 0, 0];
  let binned = false;
  for (const lane of known.lanes) {
    if (lane.device) continue;
    for (const bin of lane.bins) {
      if (bin.end_ns <= view.begin || bin.begin_ns >= view.end) continue;
      binned = true;
      calls += bin.functions;
      operations += bin.eager;
      events += bin.events;
      nonFinite += bin.non_finite;
    }
    for (const span of lane.spans) {
      const end = Math.max(span.end_ns, span.begin_ns);
      if (end < view.begin || span.begin_ns > view.end || seen.has(span.execution)) continue;
      seen.add(span.execution);
      events += span.events;
      nonFinite += span.non_finite;
      if (span.eager) {
        operations += 1;
        continue;
      }
      calls += 1;
      const sum = functions.get(span.name) ?? { calls: 0, took: 0 };
      const took = Math.min(end, view.end) - Math.max(span.begin_ns, view.begin);
      functions.set(span.name, { calls: sum.calls + 1, took: sum.took + Math.max(took, 0) });
    }
  }
  const sums = [...functions].map(([name, sum]) => ({ name, ...sum })).sort((one, other) => other.took - one.took);
  return {
    calls,
    operations,
    events,
    nonFinite,
    functions: binned ? [] : sums,
    executions: binned || !seen.size ? undefined : [least(seen), most(seen)],
  };
}

function least(numbers: ReadonlySet<number>): number {
  let found = Number.POSITIVE_INFINITY;
  for (const each of numbers) found = Math.min(found, each);
  return found;
}

function most(numbers: ReadonlySet<number>): number {
  let found = Number.NEGATIVE_INFINITY;
  for (const each of numbers) found = Math.max(found, each);
  return found;
}
