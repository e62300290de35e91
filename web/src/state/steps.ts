/** Steps from where one is: the next finding, the next event of the table, the next one that is not finite. */
import { signal } from '@preact/signals';
import { answers } from '../api/current';
import { placeOf } from './choose';
import type { Tab } from './place';
import { type Ask, Latest } from './request';
import { findings, go, list, live, overview, place, problem, where } from './store';

/** How the field of the search is found, to put the cursor into it. */
const SEARCH_FIELD = '#search';

/** How the field of the search in the graph is found. */
const GRAPH_SEARCH = '#graph-search';

/** Why the last step led nowhere; empty where it did. */
export const notice = signal('');

/** Chooses the next finding (by 1) or the previous one (by -1); from none the first, and from the last it stays. */
export function nextFinding(by: 1 | -1): void {
  const all = findings.peek()?.findings ?? [];
  const at = all.findIndex(({ number }) => number === place.peek().finding);
  const next = all[at < 0 ? 0 : at + by];
  if (next) go(placeOf(next, overview.peek(), place.peek()));
}

/** Chooses the event one row further down the table, or up; from none the first. */
export function nextEvent(by: 1 | -1): void {
  step(async (signal) => {
    const { event } = place.peek();
    const row = event === undefined ? null : (await answers.place(where.peek(), list.peek(), event, signal)).row;
    const wanted = row === null ? 0 : row + by;
    if (wanted < 0) return undefined;
    const page = await answers.events(where.peek(), list.peek(), wanted, 1, signal);
    return page.rows[0]?.event;
  });
}

/** Chooses the next event that is not finite among those that are searched for, in the order in which they were computed. */
export function nextBad(direction: 'forward' | 'backward'): void {
  step(async (signal) => {
    const { search, event } = place.peek();
    const from = event ?? (direction === 'forward' ? -1 : (live.peek()?.tensor_events ?? -1));
    const found = await answers.next(where.peek(), `${search} nonfinite`.trim(), from, direction, signal);
    if (found.event === null)
      notice.value = `No non-finite event ${direction === 'forward' ? 'after' : 'before'} this one.`;
    return found.event ?? undefined;
  });
}

/** Shows another view of the chosen event. */
export function chooseTab(tab: Tab): void {
  go({ tab }, 'replace');
}

/** Puts the cursor into the search field. */
export function goToSearch(): void {
  const field = document.querySelector<HTMLInputElement>(SEARCH_FIELD);
  field?.focus();
  field?.select();
}

const latest = new Latest();

/** Finds an event and goes there; a further step before that gives it up. */
function step(find: Ask<number | undefined>): void {
  notice.value = '';
  latest.ask(
    find,
    (event) => {
      if (event !== undefined) go({ event });
    },
    (text) => {
      problem.value = text;
    },
  );
}

/** Shows the graph of the whole function, with the cursor in its search. */
export function goToGraphSearch(): void {
  go({ tab: 'graph', graph: 'whole' });
  const look = (tries: number): void => {
    const field = document.querySelector<HTMLInputElement>(GRAPH_SEARCH);
    if (field) field.focus();
    else if (tries) setTimeout(() => look(tries - 1), 50);
  };
  look(100);
}
