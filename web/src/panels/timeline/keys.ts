/** The keys of the timeline. */
import { choose, ends, open, step } from './choose';
import { type Row, sameLane } from './lanes';
import { current, currentView, detail, look, view, whole, wholeTime } from './state';
import { toggleMark } from './time-marks';
import { between, panned, type View, zoomed } from './view';

/** What the keys do, for the help. */
export const TIMELINE_KEYS: readonly (readonly [readonly string[], string])[] = [
  [['←', '→'], 'previous and next execution'],
  [['↑', '↓'], 'the nearest execution in the lane above or below'],
  [['Home', 'End'], 'the first and the last execution'],
  [['Enter'], 'the tensor events of the chosen execution'],
  [['W', 'S'], 'look closer, from further away; so do + and -, and the wheel'],
  [['A', 'D'], 'move the view to the left and to the right'],
  [['f', '0'], 'fit the view to the chosen execution, to all of the time'],
  [['m'], 'mark the beginning of the chosen execution, or take the mark away; the time between marks is told'],
  [['⇧ ←', '⇧ →'], 'move the view; so does dragging, and dragging with Shift marks what to look at and sum up'],
];

/** Does what a key stands for; others are left to the page. */
export function press(event: KeyboardEvent, rows: readonly Row[]): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !act(event, rows)) return;
  event.preventDefault();
  event.stopPropagation();
}

function act(event: KeyboardEvent, rows: readonly Row[]): boolean {
  const [shown, all, chosen] = [view.value, wholeTime.value, current.value];
  if (!shown || !all) return false;
  const length = shown.end - shown.begin;
  const executed = currentView.value;
  const around = executed?.begin_ns ?? (shown.begin + shown.end) / 2;
  const middle = around >= shown.begin && around <= shown.end ? around : (shown.begin + shown.end) / 2;
  const moved = moves(event.key);
  if (moved) {
    look(panned(shown, all, (moved * length) / 5));
    return true;
  }
  switch (event.key) {
    case 'ArrowLeft':
    case 'ArrowRight': {
      const by = event.key === 'ArrowLeft' ? -1 : 1;
      if (event.shiftKey) look(panned(shown, all, (by * length) / 5));
      else step(by);
      return true;
    }
    case 'ArrowUp':
    case 'ArrowDown':
      return stepLane(rows, event.key === 'ArrowUp' ? -1 : 1);
    case 'Home':
      choose(ends()[0]);
      return true;
    case 'End':
      if (whole.value?.executions) choose(ends()[1]);
      return true;
    case 'Enter':
      if (chosen !== undefined) open(chosen);
      return true;
    case '+':
    case '=':
    case 'w':
    case 'W':
      look(zoomed(shown, all, middle, 0.5));
      return true;
    case '-':
    case 's':
    case 'S':
      look(zoomed(shown, all, middle, 2));
      return true;
    case 'f':
      if (executed) look(fitted(executed.begin_ns, executed.end_ns ?? all.end, all));
      return true;
    case 'm':
      if (executed) toggleMark(executed.begin_ns);
      return true;
    case '0':
      look(all);
      return true;
    default:
      return false;
  }
}

/** The direction in which a letter moves the view, as in games and in Perfetto; 0 for other keys. */
function moves(key: string): -1 | 0 | 1 {
  if (key === 'a' || key === 'A') return -1;
  return key === 'd' || key === 'D' ? 1 : 0;
}

/** A stretch of time with some room on both sides. */
export function fitted(begin: number, end: number, all: View): View {
  const margin = (end - begin) / 8;
  return between(begin - margin, end + margin, all);
}

/** To the execution nearest in time in the lane above or below. */
function stepLane(rows: readonly Row[], by: -1 | 1): boolean {
  const [known, executed] = [detail.value ?? whole.value, currentView.value];
  if (!known || !executed) return false;
  const from = rows.findIndex((row) => row.lane.thread === executed.thread && !row.lane.device);
  for (let index = from + by; from >= 0 && rows[index]; index += by) {
    const lane = sameLane(known, (rows[index] as Row).lane);
    const near = lane?.spans
      .filter((span) => span.execution !== executed.execution)
      .reduce<{ execution: number; apart: number } | undefined>((best, span) => {
        const apart = Math.abs(span.begin_ns - executed.begin_ns);
        return !best || apart < best.apart ? { execution: span.execution, apart } : best;
      }, undefined);
    if (near) {
      choose(near.execution);
      return true;
    }
  }
  return true;
}
