/** What the timeline knows and shows just now. What a link must say of it is in the place: the range and the execution. */
import { computed, effect, signal, untracked } from '@preact/signals';
import type { ExecutionView, Timeline } from '../../api/types';
import { chosen, go, place } from '../../state/store';
import { atEnd, isWhole, touchesEnd, type View, wholeView } from './view';

/** The whole time, and the part of it that was last looked at in detail. */
export const whole = signal<Timeline | undefined>(undefined);
export const detail = signal<Timeline | undefined>(undefined);
/** Width of the drawing in pixels; 0 until it is known. */
export const width = signal(0);
/** Why there is no newer answer. */
export const trouble = signal('');

/** The view while it is being moved; it gets into the place when it comes to rest. */
const moving = signal<View | undefined>(undefined);

/** All of the time. */
export const wholeTime = computed<View | undefined>(() => {
  const known = whole.value;
  return known && wholeView(known.first_ns, known.last_ns);
});

/** What is in view. */
export const view = computed<View | undefined>(() => {
  const { range } = place.value;
  return moving.value ?? (range ? { begin: range[0], end: range[1] } : wholeTime.value);
});

/** The execution that is chosen, by itself or with the chosen event. */
export const current = signal<number | undefined>(undefined);
/** What it was; that of before until the answer is there. */
export const currentView = signal<ExecutionView | undefined>(undefined);

const REST_MS = 150;
const SERIES_MS = 2000;
let rest: ReturnType<typeof setTimeout> | undefined;
let lastMove = 0;

/** Moves the view. Many moves in a row are one step back in the browser's history. */
export function look(to: View): void {
  moving.value = to;
  clearTimeout(rest);
  rest = setTimeout(settle, REST_MS);
}

function settle(): void {
  const [to, all] = [moving.value, wholeTime.value];
  if (!to || !all) return;
  const now = Date.now();
  const range = isWhole(to, all) ? undefined : ([Math.round(to.begin), Math.round(to.end)] as const);
  go({ range }, now - lastMove < SERIES_MS ? 'replace' : 'push');
  lastMove = now;
  moving.value = undefined;
}

/** Takes a new answer about all of the time; a view that stood at the end goes on with it. */
export function grown(to: Timeline): void {
  const [before, shown] = [whole.value, untracked(() => view.value)];
  whole.value = to;
  if (!before || !shown || to.last_ns <= before.last_ns || !place.value.range) return;
  if (!moving.value && touchesEnd(shown, before.last_ns)) {
    const next = atEnd(shown, to.last_ns);
    go({ range: [Math.round(next.begin), Math.round(next.end)] }, 'replace');
  }
}

/** Keeps `current` with the place; where an event is chosen, the execution is that of the event. */
export function followChoice(): () => void {
  return effect(() => {
    const { event, execution } = place.value;
    const row = chosen.value?.row;
    if (event === undefined) current.value = execution;
    else if (row?.event === event) current.value = row.execution >= 0 ? row.execution : undefined;
    else if (current.peek() === undefined) current.value = execution;
  });
}
