/** Rows of a list of events, fetched by the page when they come into view, and a bounded number of them kept. */
import { type Signal, signal } from '@preact/signals';
import type { EventPage, EventRow } from '../../api/types';
import { sentence } from '../../state/use-answer';

/** Rows of a page. */
export const PAGE = 200;
const KEPT = 40;
/** While one scrolls fast, what only flies by is not asked for. */
const PAUSE_MS = 60;

export type AskPage = (begin: number, count: number, signal: AbortSignal) => Promise<EventPage>;

export class EventPages {
  /** Rows of the whole list; undefined until the first page is there. */
  readonly total: Signal<number | undefined> = signal(undefined);
  /** Grows with each page that comes. */
  readonly version = signal(0);
  /** What went wrong with the last page that was asked for. */
  readonly problem = signal('');

  private readonly pages = new Map<number, readonly EventRow[]>();
  private readonly stale = new Set<number>();
  private readonly asked = new Map<number, AbortController>();
  private wanted: readonly number[] = [0];
  private timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param ask Fetches rows from a first one on.
   * @param growsAtEnd Whether rows that come later follow on those that are there; else all may change their places.
   */
  constructor(
    private readonly ask: AskPage,
    private readonly growsAtEnd: boolean,
  ) {}

  /** A row, if it is there. */
  row(number: number): EventRow | undefined {
    return this.pages.get(Math.floor(number / PAGE))?.[number % PAGE];
  }

  /** The row of an event among those that are there. */
  find(event: number): number | undefined {
    for (const [page, rows] of this.pages) {
      const index = rows.findIndex((row) => row.event === event);
      if (index >= 0) return page * PAGE + index;
    }
    return undefined;
  }

  /** Says which rows are seen: they are fetched, with the page that comes next; what else was asked is given up. */
  want(first: number, last: number): void {
    const [low, high] = [Math.floor(Math.max(0, first) / PAGE), Math.floor(Math.max(0, last) / PAGE)];
    const forward = low >= (this.wanted[0] ?? 0);
    const shown = Array.from({ length: high - low + 1 }, (_, index) => low + index);
    const next = forward ? high + 1 : low - 1;
    this.wanted = this.exists(next) ? [...shown, next] : shown;
    if (this.timer !== undefined) return;
    if (this.asked.size === 0) this.fetch();
    else this.timer = setTimeout(() => this.fetch(), PAUSE_MS);
  }

  /** The trace has grown: what may have changed is fetched again when it is seen. */
  renew(): void {
    for (const [page, rows] of this.pages) if (!this.growsAtEnd || rows.length < PAGE) this.stale.add(page);
    if (this.wanted.every((page) => this.pages.has(page) && !this.stale.has(page))) {
      const last = Math.floor(Math.max(0, (this.total.peek() ?? 0) - 1) / PAGE);
      this.stale.add(last);
      this.request(last);
    }
    this.fetch();
  }

  /** Gives up all that was asked for. */
  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const given of this.asked.values()) given.abort();
    this.asked.clear();
  }

  private exists(page: number): boolean {
    const total = this.total.peek();
    return page >= 0 && (total === undefined || page * PAGE < total);
  }

  private fetch(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const [page, given] of this.asked) {
      if (this.wanted.includes(page)) continue;
      given.abort();
      this.asked.delete(page);
    }
    for (const page of this.wanted) if (!this.pages.has(page) || this.stale.has(page)) this.request(page);
  }

  private request(page: number): void {
    if (this.asked.has(page)) return;
    const given = new AbortController();
    this.asked.set(page, given);
    this.ask(page * PAGE, PAGE, given.signal).then(
      (answer) => {
        if (given.signal.aborted) return;
        this.asked.delete(page);
        this.take(page, answer);
      },
      (error: unknown) => {
        if (given.signal.aborted) return;
        this.asked.delete(page);
        this.problem.value = sentence(error);
      },
    );
  }

  private take(page: number, answer: EventPage): void {
    this.pages.delete(page);
    this.stale.delete(page);
    if (answer.rows.length || page === 0) this.pages.set(page, answer.rows);
    for (const old of this.pages.keys()) {
      if (this.pages.size <= KEPT) break;
      if (!this.wanted.includes(old)) this.pages.delete(old);
    }
    this.problem.value = '';
    this.total.value = answer.total;
    this.version.value += 1;
  }
}
