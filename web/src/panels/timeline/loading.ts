/** Asks for what the timeline shows: all of the time, what is in view in detail, and the chosen execution. */
import { effect } from '@preact/signals';
import { answers } from '../../api/current';
import type { Timeline } from '../../api/types';
import { Patient, request } from '../../state/request';
import { following, live, where } from '../../state/store';
import { throttled } from '../../state/throttled';
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
  const requests = new Patient(trouble);
  const stop = effect(() => {
    const pixels = Math.ceil(width.value / 200) * 200;
    const [asked, newest] = [where.value, revision.value];
    if (requests.waitsFor(JSON.stringify([asked, pixels]))) return;
    const known = whole.peek();
    // One who looks at something is shown no growth: nothing newer is asked for then.
    if (!pixels || (known && known.revision >= newest && pixels === wholePixels)) return;
    requests.ask(
      (signal) => answers.timeline(asked, undefined, Math.min(pixels, MOST_PIXELS), signal),
      (answer) => {
        wholePixels = pixels;
        grown(answer);
      },
    );
  });
  return () => {
    stop();
    requests.stop();
    end();
  };
}
let wholePixels = 0;

function loadDetail(): () => void {
  const requests = new Patient(trouble);
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
      (signal) => answers.timeline(asked, range, columns, signal),
      (answer) => {
        detail.value = answer;
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
    return request(
      (signal) => answers.execution(asked, execution, signal),
      (answer) => {
        currentView.value = answer;
        trouble.value = '';
      },
      (problem) => {
        trouble.value = problem;
      },
      0,
    );
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
