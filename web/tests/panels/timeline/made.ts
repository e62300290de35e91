/** Made-up executions for the tests of the timeline. */
import type { Bin, Lane, Span, Timeline } from '../../../src/api/types';

/** Times of a trace are since 1970: so large that doubles tell apart 256 ns only. */
export const FIRST = 1.763741267e18;

export function span(change: Partial<Span> = {}): Span {
  return {
    execution: 0,
    begin_ns: FIRST,
    end_ns: change.begin_ns ?? FIRST,
    name: 'MatMul',
    step: 0,
    eager: true,
    events: 1,
    non_finite: 0,
    failed: false,
    ...change,
  };
}

export function bin(change: Partial<Bin> = {}): Bin {
  return {
    begin_ns: FIRST,
    end_ns: FIRST + 1e6,
    functions: 0,
    eager: 0,
    events: 0,
    non_finite: 0,
    busy: 0,
    first_bad: null,
    ...change,
  };
}

export function lane(change: Partial<Lane> = {}): Lane {
  return { lane: 0, label: 'main thread', thread: 1, device: '', executions: 0, spans: [], bins: [], ...change };
}

export function timeline(lanes: readonly Lane[], length: number): Timeline {
  return {
    revision: 1,
    begin_ns: FIRST,
    end_ns: FIRST + length,
    first_ns: FIRST,
    last_ns: FIRST + length,
    executions: lanes.reduce((sum, each) => sum + each.executions, 0),
    lanes: [...lanes],
  };
}
