import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AnswerError } from '../../../src/api/answers';
import type { EventPage, EventRow } from '../../../src/api/types';
import { EventPages, PAGE } from '../../../src/panels/events/pages';

/** A list whose rows are their numbers; it answers when it is told to. */
class List {
  total = 10_000_000;
  readonly asked: { readonly begin: number; readonly signal: AbortSignal; readonly answer: () => void }[] = [];

  readonly ask = (begin: number, count: number, signal: AbortSignal): Promise<EventPage> =>
    new Promise((resolve) => {
      const answer = (): void => {
        const numbers = Array.from({ length: Math.max(0, Math.min(count, this.total - begin)) }, (_, at) => begin + at);
        const rows = numbers.map((event) => ({ event }) as EventRow);
        resolve({ revision: this.total, total: this.total, begin, rows });
      };
      this.asked.push({ begin, signal, answer });
    });

  async answerAll(): Promise<void> {
    for (const { answer } of this.asked) answer();
    await vi.advanceTimersByTimeAsync(0);
  }

  begins(): number[] {
    return this.asked.map(({ begin }) => begin);
  }
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('pages of events', () => {
  it('are fetched where rows are seen, with the next one', async () => {
    const list = new List();
    const pages = new EventPages(list.ask, true);
    pages.want(0, 12);
    await list.answerAll();
    expect(pages.total.value).toBe(10_000_000);
    expect(pages.row(12)?.event).toBe(12);
    expect(pages.row(PAGE * 3)).toBeUndefined();
    expect(list.begins()).toEqual([0, PAGE]);
  });

  it('are given up when they only flew by', async () => {
    const list = new List();
    const pages = new EventPages(list.ask, true);
    pages.want(0, 12);
    await list.answerAll();
    pages.want(4_000_000, 4_000_012);
    for (let row = 5_000_000; row < 5_100_000; row += 1000) pages.want(row, row + 12);
    await vi.advanceTimersByTimeAsync(1000);
    const flownBy = list.asked.filter(({ begin }) => begin >= 4_000_000 && begin < 4_001_000);
    expect(flownBy.length).toBeGreaterThan(0);
    expect(flownBy.every(({ signal }) => signal.aborted)).toBe(true);
    expect(list.asked.length).toBeLessThan(10);
    await list.answerAll();
    expect(pages.row(5_099_000)?.event).toBe(5_099_000);
  });

  it('are kept in a bounded number', async () => {
    const list = new List();
    const pages = new EventPages(list.ask, true);
    for (let page = 0; page < 200; page += 2) {
      pages.want(page * PAGE, page * PAGE + 12);
      await vi.advanceTimersByTimeAsync(100);
      await list.answerAll();
    }
    const there = Array.from({ length: 200 }, (_, page) => pages.row(page * PAGE)).filter(Boolean);
    expect(there.length).toBeLessThanOrEqual(41);
    expect(pages.row(198 * PAGE)?.event).toBe(198 * PAGE);
  });

  it('grow at their end while a program runs', async () => {
    const list = new List();
    list.total = 250;
    const pages = new EventPages(list.ask, true);
    pages.want(0, 12);
    await list.answerAll();
    list.total = 300;
    pages.renew();
    await list.answerAll();
    expect(pages.total.value).toBe(300);
    expect(list.begins().filter((begin) => begin === 0)).toHaveLength(1);
    pages.want(290, 299);
    await vi.advanceTimersByTimeAsync(100);
    await list.answerAll();
    expect(pages.row(299)?.event).toBe(299);
  });

  it('tell how many there are now while their beginning is seen', async () => {
    const list = new List();
    const pages = new EventPages(list.ask, true);
    pages.want(0, 12);
    await list.answerAll();
    pages.want(0, 12);
    await list.answerAll();
    list.total += 1000;
    pages.renew();
    await list.answerAll();
    expect(pages.total.value).toBe(list.total);
    expect(list.begins()).toEqual([0, PAGE, 10_000_000 - PAGE]);
  });

  it('all change in another order', async () => {
    const list = new List();
    const pages = new EventPages(list.ask, false);
    pages.want(0, 12);
    await list.answerAll();
    pages.renew();
    expect(list.begins().filter((begin) => begin === 0)).toHaveLength(2);
    expect(pages.row(3)?.event).toBe(3);
  });

  it('say what went wrong', async () => {
    const pages = new EventPages(() => Promise.reject(new AnswerError("'stepp' is no key; 'step' is", 400)), true);
    pages.want(0, 0);
    await vi.advanceTimersByTimeAsync(0);
    expect(pages.problem.value).toBe("'stepp' is no key; 'step' is");
    expect(pages.total.value).toBeUndefined();
  });

  it('find an event among what is there', async () => {
    const list = new List();
    const pages = new EventPages(list.ask, true);
    pages.want(PAGE, PAGE);
    await list.answerAll();
    expect(pages.find(PAGE + 7)).toBe(PAGE + 7);
    expect(pages.find(9 * PAGE)).toBeUndefined();
  });
});
