/** The page's state: the place (kept in the address) and what several panels need of the trace. */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { EventList, Where } from '../api/answers';
import type { EventView, Findings, Live, Overview } from '../api/types';
import { moved, type Place, readPlace, START, writePlace } from './place';

/** Where one is; change it with `go`. */
export const place = signal<Place>(START);

/** Run and process; the same object as long as they stay the same. */
export const where: ReadonlySignal<Where> = computed(() => {
  const [run, process] = whereKey.value;
  return { run, process };
});
const whereKey = stable(() => [place.value.run, place.value.process] as const);

/** The list that the table shows; the same object as long as it stays the same. */
export const list: ReadonlySignal<EventList> = computed(() => {
  const [search, order, descending] = listKey.value;
  return { search, order, descending };
});
const listKey = stable(() => [place.value.search, place.value.order, place.value.descending] as const);

/** What is known so far; undefined until it was answered. */
export const overview = signal<Overview | undefined>(undefined);
export const findings = signal<Findings | undefined>(undefined);
/** Whether it is known that no tensor is anything but finite, so that there is no way to one. */
export const allFinite = computed(() => findings.value?.non_finite_events === 0);
/**
 * The chosen event; while another is on its way still the former one (compare `row.event` with the place's `event`),
 * and undefined where none is chosen.
 */
export const chosen = signal<EventView | undefined>(undefined);
/** How far the trace has grown. */
export const live = signal<Live | undefined>(undefined);
/**
 * Whether the page follows a running program: the table stays at its end, and new findings come in. It stops when one
 * looks at something (`go` sees to that; scrolling the table up is another way), and `goOn` goes on.
 */
export const following = signal<boolean>(true);
/** The last thing that went wrong, for the person in front of the page. */
export const problem = signal<string>('');

/** What one looks at in particular; while there is such a thing the page does not follow a running program. */
function looksAt(there: Partial<Place>): boolean {
  return [there.finding, there.event, there.execution, there.range, there.file || undefined].some(
    (each) => each !== undefined,
  );
}

/** Follows the running program (again): to the end of the table, and whatever comes in. */
export function goOn(): void {
  go({ finding: undefined, event: undefined, execution: undefined, range: undefined, file: '', line: undefined });
  following.value = true;
}

/** Moves to another place; each is a step back in the browser's history unless it says `replace`. */
export function go(change: Partial<Place>, mode: 'push' | 'replace' = 'push'): void {
  const next = moved(place.value, change);
  const address = writePlace(next);
  if (address === writePlace(place.value)) return;
  if (looksAt(change)) following.value = false;
  place.value = next;
  // A saved page in a notebook's cell has no address of its own.
  if (window.location.protocol === 'about:') return;
  const url = address || window.location.pathname + window.location.search;
  if (mode === 'push') window.history.pushState(null, '', url);
  else window.history.replaceState(null, '', url);
}

/** Keeps `place` with the address from now on. */
export function followAddress(): void {
  const read = (): void => {
    place.value = readPlace(window.location.hash);
    following.value = !looksAt(place.value);
  };
  window.addEventListener('popstate', read);
  window.addEventListener('hashchange', read);
  read();
}

/** A computed tuple that stays the same object while its elements do. */
function stable<T extends readonly unknown[]>(compute: () => T): ReadonlySignal<T> {
  let last: T | undefined;
  return computed(() => {
    const now = compute();
    if (last?.every((each, index) => each === now[index])) return last;
    last = now;
    return now;
  });
}
