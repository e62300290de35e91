/** Asks for what the timeline shows: all of the time, what is in view in detail, and the chosen execution. */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { answers } from '../../api/current';
import type { Timeline } from '../../api/types';
import { following, live, where } from '../../state/store';
import { sentence } from '../../state/use-answer';
import { current, currentView, detail, grown, look, trouble, view, whole, wholeTime, width } from './state';
import { isWhole, showing, type View, withMargin } from './view';

/** A growing trace is asked about at most so often. */
const GROWTH_MS = 1000;
const DETAIL_MS = 80;
const MOST_PIXELS = 4000;

/** Begins to ask; the function that is returned ends it. */
export function startLoading(): () => void {
  const ends = [forgetOfOtherProcess(), loadWhole(), loadDetail(), loadCurrent(), revealCurrent()];
  return () => {
    for (const end of ends) end();
  };
}

function forgetOfOtherProcess(): () => void {
  let former = where.peek();
  return effect(() => {
    if (where.value === former) return;
    former = where.value;
    whole.value = undefined;
    detail.value = undefined;
    currentView.value = undefined;
    trouble.value = '';
  });
}

function loadWhole(): () => void {
  const [revision, end] = throttled(() => (following.value ? (live.value?.revision ?? 0) : undefined), GROWTH_MS);
  const requests = new Patient();
  const stop = effect(() => {
    const pixels = Math.ceil(width.value / 200) * 200;
    const [asked, newest] = [where.value, revision.value];
    if (requests.waitsFor(JSON.stringify([asked, pixels]))) return;
    const known = whole.peek();
    if (!pixels || (known && newest > 0 && known.revision >= newest && pixels === wholePixels)) return;
    requests.ask(async (signal) => {
      const answer = await answers.timeline(asked, undefined, Math.min(pixels, MOST_PIXELS), signal);
      wholePixels = pixels;
      grown(answer);
    });
  });
  return () => {
    stop();
    requests.stop();
    end();
  };
}
let wholePixels = 0;

function loadDetail(): () => void {
  const requests = new Patient();
  const stop = effect(() => {
    const [shown, all, pixels, asked, known] = [view.value, wholeTime.value, width.value, where.value, detail.peek()];
    const revision = whole.value?.revision ?? 0;
    if (requests.waitsFor(JSON.stringify([asked, shown, pixels]))) return;
    if (!shown || !all || !pixels || isWhole(shown, all)) return;
    if (known && known.revision >= revision && serves(known, shown)) return;
    const wanted = withMargin(shown, all);
    const share = (wanted.end - wanted.begin) / (shown.end - shown.begin);
    const range = [Math.round(wanted.begin), Math.round(wanted.end)] as const;
    const columns = Math.min(Math.max(Math.round(pixels * share), 50), MOST_PIXELS);
    requests.ask(
      async (signal) => {
        detail.value = await answers.timeline(asked, range, columns, signal);
      },
      known ? DETAIL_MS : 0,
    );
  });
  return () => {
    stop();
    requests.stop();
  };
}

function loadCurrent(): () => void {
  return effect(() => {
    const [execution, asked] = [current.value, where.value];
    const revision = whole.value?.revision;
    if (execution === undefined) {
      currentView.value = undefined;
      return undefined;
    }
    const known = currentView.peek();
    if (revision === undefined || (known?.execution === execution && known.end_ns !== null)) return undefined;
    return asking(async (signal) => {
      currentView.value = await answers.execution(asked, execution, signal);
    });
  });
}

/** A link says itself what is in view; whoever moves to another execution from there wants to see it. */
function revealCurrent(): () => void {
  let former: number | undefined;
  return effect(() => {
    const told = currentView.value;
    const [shown, all] = [view.peek(), wholeTime.peek()];
    if (told && shown && all && former !== undefined && told.execution !== former) {
      const next = showing(shown, all, told.begin_ns, told.end_ns ?? told.begin_ns);
      if (next !== shown) look(next);
    }
    former = told?.execution ?? former;
  });
}

/** Whether an answer in detail is enough for a view: it covers it, and is not much coarser than it could be. */
function serves(known: Timeline, shown: View): boolean {
  if (known.begin_ns > shown.begin || known.end_ns < shown.end) return false;
  const binned = known.lanes.some((lane) => lane.bins.length > 0);
  return !binned || known.end_ns - known.begin_ns <= 3 * (shown.end - shown.begin);
}

/**
 * One request at a time, given up when something else is wanted. What is wanted again because the trace has grown waits
 * for the answer: a busy server would never come to the end of one otherwise.
 */
class Patient {
  private wanted = '';
  private giveUp: (() => void) | undefined;
  private readonly answered = signal(0);

  /** Whether this is asked for at the moment; anything else is given up. An effect that calls this runs again then. */
  waitsFor(wanted: string): boolean {
    void this.answered.value;
    if (this.giveUp && this.wanted === wanted) return true;
    this.stop();
    this.wanted = wanted;
    return false;
  }

  ask(request: (signal: AbortSignal) => Promise<void>, after = 0): void {
    this.giveUp = asking(async (given) => {
      try {
        await request(given);
      } finally {
        if (!given.aborted) this.giveUp = undefined;
      }
      if (!given.aborted) this.answered.value += 1;
    }, after);
  }

  stop(): void {
    this.giveUp?.();
    this.giveUp = undefined;
  }
}

/** Asks after a while, unless it is given up before. */
function asking(ask: (signal: AbortSignal) => Promise<void>, after = 0): () => void {
  const given = new AbortController();
  const timer = setTimeout(() => {
    ask(given.signal).then(
      () => {
        trouble.value = '';
      },
      (error: unknown) => {
        if (!given.signal.aborted) trouble.value = sentence(error);
      },
    );
  }, after);
  return () => {
    clearTimeout(timer);
    given.abort();
  };
}

/** The newest value that is not undefined, taken over at most every so many milliseconds. */
function throttled(read: () => number | undefined, every: number): [ReadonlySignal<number>, () => void] {
  const taken = signal(0);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let newest = 0;
  const stop = effect(() => {
    const value = read();
    if (value === undefined) return;
    newest = value;
    if (timer !== undefined) return;
    taken.value = newest;
    timer = setTimeout(() => {
      timer = undefined;
      taken.value = newest;
    }, every);
  });
  return [
    taken,
    () => {
      stop();
      clearTimeout(timer);
    },
  ];
}
