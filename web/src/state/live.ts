/** Follows a program that still runs: asks how far its trace has grown, and brings in what is new. */
import { computed, effect, signal, untracked } from '@preact/signals';
import { answers } from '../api/current';
import type { Live } from '../api/types';
import { loadFindings, loadOverview } from './load';
import { sentence } from './request';
import { following, live, overview, where } from './store';

/** How long the server may keep a question until there is more, in seconds. */
const WAIT = 20;
/** Findings are looked for at most so often, in milliseconds, and never for more than a third of the time. */
const LEAST_PAUSE = 1000;
const SLOWEST_RETRY = 15_000;

/** Why the page can't tell how far the trace has grown; empty where it can. */
export const liveProblem = signal('');

/** Whether some process of the run still runs. */
export const running = computed(
  () => live.value?.running || overview.value?.processes.some((process) => process.running) || false,
);

/** Events that came in while the page stood still. */
export const unseen = computed(() => {
  const { value } = live;
  if (following.value || !value || seen.value === undefined) return 0;
  return Math.max(0, value.tensor_events - seen.value);
});
const seen = signal<number | undefined>(undefined);

/** Follows the run of the place from now on. */
export function keepFollowing(): void {
  if (answers.saved) return;
  effect(() => {
    where.value;
    const given = new AbortController();
    untracked(() => {
      live.value = undefined;
      void follow(given.signal);
    });
    return () => given.abort();
  });
  effect(() => {
    if (following.value) seen.value = live.value?.tensor_events;
  });
  keepFindings();
}

async function follow(signal: AbortSignal): Promise<void> {
  let retry = 500;
  while (!signal.aborted) {
    const former = live.peek();
    try {
      const now = await answers.live(where.peek(), former?.revision ?? 0, former ? WAIT : 0, signal);
      if (signal.aborted) return;
      take(former, now);
      retry = 500;
      if (!running.peek() && overview.peek()) return;
      // An answer that says nothing new came after its time, or from a server that doesn't wait.
      if (former?.revision === now.revision) await pause(100, signal);
    } catch (error) {
      if (signal.aborted) return;
      liveProblem.value = sentence(error);
      await pause(retry, signal);
      retry = Math.min(2 * retry, SLOWEST_RETRY);
    }
  }
}

function take(former: Live | undefined, now: Live): void {
  liveProblem.value = '';
  live.value = now;
  if (former && former.running !== now.running) void loadOverview();
}

/** Looks for findings whenever there is more and the page follows. */
function keepFindings(): void {
  let looked: number | undefined;
  let busy = false;
  effect(() => {
    const revision = live.value?.revision;
    const ended = live.value?.running === false;
    if (revision === undefined) looked = undefined;
    if (revision === undefined || (!following.value && !ended)) return;
    untracked(() => void look(revision));
  });

  async function look(revision: number): Promise<void> {
    if (busy || looked === revision) return;
    const first = looked === undefined;
    looked = revision;
    if (first) return;
    busy = true;
    const begin = performance.now();
    await loadFindings();
    await pause(Math.max(LEAST_PAUSE, 2 * (performance.now() - begin)));
    busy = false;
    const newer = live.peek()?.revision;
    if (newer !== undefined && (following.peek() || live.peek()?.running === false)) void look(newer);
  }
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
