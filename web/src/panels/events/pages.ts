/** Rows of a list of events, fetched by the page when they come into view, and a bounded number of them kept. */
import { type Signal, signal } from '@preact/signals';
import type { EventPage, EventRow } from '../../api/types';
import { Pieces } from '../../state/pieces';

/** Rows of a page. */
export const PAGE = 200;
const KEPT = 40;
/** While one scrolls fast, what only flies by is not asked for. */
const PAUSE_MS = 60;

export type AskPage = (begin: number, count: number, signal: AbortSignal) => Promise<EventPage>;

export class EventPages {
  /** Rows of the whole list; undefined until the first page is there. */
  readonly total: Signal<number | undefined> = signal(undefined);

  private readonly pages: Pieces<number, EventPage>;
  private wanted: readonly number[] = [0];
  private timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param ask Fetches rows from a first one on.
   * @param growsAtEnd Whether rows that come later follow on those that are there; else all may change their places.
   */
  constructor(
    ask: AskPage,
    private readonly growsAtEnd: boolean,
  ) {
    this.pages = new Pieces(
      (page, given) => ask(page * PAGE, PAGE, given),
      KEPT,
      (page, answer) => {
        this.total.value = answer.total;
        return answer.rows.length > 0 || page === 0;
      },
    );
  }

  /** Grows with each page that comes. */
  get version(): Signal<number> {
    return this.pages.version;
  }

  /** What went wrong with the last page that was asked for. */
  get problem(): Signal<string> {
    return this.pages.problem;
  }

  /** A row, if it is there. */
  row(number: number): EventRow | undefined {
    return this.pages.get(Math.floor(number / PAGE))?.rows[number % PAGE];
  }

  /** The row of an event among those that are there. */
  find(event: number): number | undefined {
    for (const [page, { rows }] of this.pages.entries()) {
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
    if (!this.pages.busy) this.fetch();
    else this.timer = setTimeout(() => this.fetch(), PAUSE_MS);
  }

  /** The trace has grown: what may have changed is fetched again when it is seen, and the number of rows in any case. */
  renew(): void {
    this.pages.spoil((_, { rows }) => !this.growsAtEnd || rows.length < PAGE);
    const isKnown = this.wanted.every((page) => this.pages.isFresh(page));
    this.fetch();
    if (isKnown) this.pages.fetch(Math.floor(Math.max(0, (this.total.peek() ?? 0) - 1) / PAGE));
  }

  /** Gives up all that was asked for. */
  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.pages.close();
  }

  private exists(page: number): boolean {
    const total = this.total.peek();
    return page >= 0 && (total === undefined || page * PAGE < total);
  }

  private fetch(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.pages.want(this.wanted);
  }
}
