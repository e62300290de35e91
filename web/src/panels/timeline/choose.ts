/** Moving to an execution: all panels go to its first bad tensor, or else to its first. */
import { answers } from '../../api/current';
import type { ExecutionView } from '../../api/types';
import { Latest } from '../../state/request';
import { go, where } from '../../state/store';
import { current, currentView, trouble, whole } from './state';

const latest = new Latest();
/** The execution that is on its way, so that keys pressed quickly are not lost. */
let wanted: number | undefined;
let lastStep = 0;

const SERIES_MS = 1000;

/** Chooses an execution. */
export function choose(execution: number, mode: 'push' | 'replace' = 'push'): void {
  wanted = execution;
  latest.ask(
    (signal) => answers.execution(where.value, execution, signal),
    (view) => {
      currentView.value = view;
      // Known at once: the place's event has yet to come before it tells its execution.
      current.value = execution;
      go({ execution, event: eventOf(view) }, mode);
      say('');
    },
    say,
  );
}

function say(text: string): void {
  trouble.value = text;
  wanted = undefined;
}

/** The execution before or after the chosen one, in the order in which they began. Many steps are one in the history. */
export function step(by: -1 | 1): void {
  const [first, last] = ends();
  const to = (wanted ?? current.value ?? (by > 0 ? first - 1 : last + 1)) + by;
  if (to < first || to > last) return;
  const now = Date.now();
  choose(to, now - lastStep < SERIES_MS ? 'replace' : 'push');
  lastStep = now;
}

/** Numbers of the first and the last execution; of a trace that keeps only its end the first is not 1. */
export function ends(): readonly [number, number] {
  const known = whole.value;
  const spans = known?.lanes.flatMap((lane) => lane.spans) ?? [];
  const binned = known?.lanes.some((lane) => lane.bins.length) ?? true;
  const first =
    binned || !spans.length
      ? 1
      : spans.reduce((least, span) => Math.min(least, span.execution), Number.POSITIVE_INFINITY);
  return [first, first + (known?.executions ?? 0) - 1];
}

/** The next or previous execution that has a tensor that is not finite. */
export function stepBad(direction: 'forward' | 'backward'): void {
  const view = currentView.value;
  const search = view ? `nonfinite -execution:${view.execution}` : 'nonfinite';
  const from = view?.first_event ?? -1;
  wanted = undefined;
  latest.ask(
    async (signal) => {
      const found = await answers.next(where.value, search, from, direction, signal);
      return found.event === null ? undefined : answers.event(where.value, found.event, signal);
    },
    (event) => {
      if (!event)
        say(
          direction === 'forward' ? 'No later execution has a bad tensor.' : 'No earlier execution has a bad tensor.',
        );
      else if (event.row.execution >= 0) choose(event.row.execution);
      else go({ event: event.row.event });
    },
    say,
  );
}

/** Shows the tensor events of an execution in the table. */
export function open(execution: number): void {
  go({ search: `execution:${execution}`, order: 'event', descending: false });
}

function eventOf(view: ExecutionView): number | undefined {
  return view.first_bad_event ?? view.first_event ?? undefined;
}
