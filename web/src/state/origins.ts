/** Where the trouble began, of the process that is shown: its own mark tells it from what it spread to. */
import { computed } from '@preact/signals';
import type { Finding } from '../api/types';
import { findings, overview, place } from './store';

/** The mark, wherever an origin stands. */
export const ORIGIN_SIGN = '◆';

export interface Origins {
  readonly events: ReadonlySet<number>;
  readonly executions: ReadonlySet<number>;
  /** `file:line`. */
  readonly lines: ReadonlySet<string>;
}

/** The origins among the findings of a process; its gradient is part of the same finding. */
export function originsOf(all: readonly Finding[], process: string): Origins {
  const here = all.filter((each) => each.kind === 'origin' && each.process === process);
  return {
    events: new Set(here.flatMap(({ event }) => (event ? [event.event] : []))),
    executions: new Set(here.flatMap(({ event }) => (event && event.execution >= 0 ? [event.execution] : []))),
    lines: new Set(here.flatMap(({ source }) => (source ? [`${source.file}:${source.line}`] : []))),
  };
}

/** The origins of the process that is shown. */
export const origins = computed(() => {
  const first = overview.value?.processes[0]?.process ?? '';
  return originsOf(findings.value?.findings ?? [], place.value.process || first);
});
