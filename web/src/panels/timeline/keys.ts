/** The keys of the timeline. */
import { choose, ends, open, step } from './choose';
import { type Row, sameLane } from './lanes';
import { current, currentView, detail, look, view, whole, wholeTime } from './state';
import { panned, zoomed } from './view';

/** What the keys do, for the help. */
export const TIMELINE_KEYS: readonly (readonly [readonly string[], string])[] = [
  [['←', '→'], 'previous and next execution'],
  [['↑', '↓'], 'the nearest execution in the lane above or below'],
  [['Home', 'End'], 'the first and the last execution'],
  [['Enter'], 'the tensor events of the chosen execution'],
  [['+', '-', '0'], 'look closer, from further away, at all of the time; the wheel does it too'],
  [['Shift ←', 'Shift →'], 'move the view; so does dragging, and dragging with Shift marks what to look at'],
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
      look(zoomed(shown, all, middle, 0.5));
      return true;
    case '-':
      look(zoomed(shown, all, middle, 2));
      return true;
    case '0':
      look(all);
      return true;
    default:
      return false;
  }
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
