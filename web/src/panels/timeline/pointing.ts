/** The mouse on the lanes: hovering tells, a click chooses, dragging moves, with shift it marks, the wheel zooms. */
import { effect, signal, untracked } from '@preact/signals';
import { choose } from './choose';
import { brushed } from './draw-lanes';
import { type Row, rowAt, sameLane } from './lanes';
import { barAt, barsOf, markAt, marksOf } from './marks';
import { detail, look, view, whole, wholeTime, width } from './state';
import { between, panned, touchesEnd, type View, xToTime, zoomed } from './view';
import { binLines, linesOf } from './words';

export interface Hovered {
  readonly execution: number | undefined;
  readonly bad: boolean;
  readonly lines: readonly string[];
  /** Where it stands in the window: below its lane. */
  readonly x: number;
  readonly y: number;
}

/** What the mouse is at. */
export const hovered = signal<Hovered | undefined>(undefined);
/** What is being marked, in pixels. */
export const brush = signal<readonly [number, number] | undefined>(undefined);
/** Height that there is for the lanes. */
export const room = signal(0);

/** A mouse that moved less than this was meant to stand still. */
const STILL = 4;
const ZOOM = 0.0015;
const PINCH = 0.01;

/** What is drawn at a place of the lanes. */
function found(rows: readonly Row[], x: number, y: number) {
  const [row, shown, known] = [rowAt(rows, y), view.value, whole.value];
  if (!row || !shown || !known) return undefined;
  const time = xToTime(shown, width.value, x);
  const near = detail.value;
  const covered = near && time >= near.begin_ns && (time <= near.end_ns || touchesEnd(shown, near.end_ns));
  const lane = sameLane(covered ? near : known, row.lane);
  if (!lane) return undefined;
  const mark = markAt(marksOf(lane, shown, width.value), x);
  return { row, mark, bar: mark ? undefined : barAt(barsOf(lane, shown, width.value), x) };
}

function hover(rows: readonly Row[], x: number, y: number, box: DOMRect): void {
  const at = found(rows, x, y);
  const first = whole.value?.first_ns ?? 0;
  if (!at || (!at.mark && !at.bar)) {
    hovered.value = undefined;
    return;
  }
  const { mark, bar, row } = at;
  const lines = mark ? [...linesOf(mark.span, first)] : bar ? [...binLines(bar.bin, first)] : [];
  if (mark && mark.count > 1) lines.push(`and ${mark.count - 1} more at this place; zoom in to tell them apart`);
  hovered.value = {
    execution: mark?.span.execution,
    bad: mark ? mark.state === 'bad' : bar?.bad === true,
    lines,
    x: box.left + x,
    y: box.top + row.top + row.height + 2,
  };
}

function click(rows: readonly Row[], x: number, y: number): void {
  const at = found(rows, x, y);
  const [shown, all] = [view.value, wholeTime.value];
  if (at?.mark) choose(at.mark.span.execution);
  else if (at?.bar?.bin.first_bad != null) choose(at.bar.bin.first_bad);
  else if (at?.bar && shown && all) look(zoomed(shown, all, xToTime(shown, width.value, x), 0.2));
}

/** Listens on an element until the function that is returned is called. */
export function pointing(element: HTMLElement, rows: () => readonly Row[]): () => void {
  let start: { readonly x: number; readonly view: View; readonly marking: boolean; far: boolean } | undefined;
  const at = (event: MouseEvent): readonly [number, number] => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  const down = (event: PointerEvent): void => {
    const shown = view.value;
    if (event.button !== 0 || !shown) return;
    start = { x: at(event)[0], view: shown, marking: event.shiftKey, far: false };
    element.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    const [x, y] = at(event);
    const all = wholeTime.value;
    last = [x, y];
    if (!start || !all) {
      hover(rows(), x, y, element.getBoundingClientRect());
      return;
    }
    start.far ||= Math.abs(x - start.x) > STILL;
    if (!start.far) return;
    hovered.value = undefined;
    if (start.marking) brush.value = [start.x, x];
    else look(panned(start.view, all, (start.x - x) * ((start.view.end - start.view.begin) / width.value)));
  };
  const up = (event: PointerEvent): void => {
    const [shown, all, marked] = [view.value, wholeTime.value, brush.value];
    if (start && !start.far) click(rows(), ...at(event));
    else if (marked && shown && all) look(between(...brushed(shown, width.value, marked), all));
    cancel();
  };
  const cancel = (): void => {
    start = undefined;
    brush.value = undefined;
  };
  let last: readonly [number, number] | undefined;
  const leave = (): void => {
    last = undefined;
    hovered.value = undefined;
  };
  // What is below a mouse that rests changes with the view.
  const endWatching = effect(() => {
    const known = view.value && whole.value && (detail.value ?? whole.value);
    if (!known || !last || start) return;
    const [x, y] = last;
    untracked(() => hover(rows(), x, y, element.getBoundingClientRect()));
  });
  const wheel = (event: WheelEvent): void => {
    const [shown, all] = [view.value, wholeTime.value];
    // With Alt the wheel scrolls the lanes, as it does over their names.
    if (!shown || !all || event.altKey) return;
    event.preventDefault();
    const across = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.shiftKey ? event.deltaY : 0;
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (across) look(panned(shown, all, (across * lines * (shown.end - shown.begin)) / width.value));
    else {
      const by = event.deltaY * lines * (event.ctrlKey ? PINCH : ZOOM);
      look(zoomed(shown, all, xToTime(shown, width.value, at(event)[0]), Math.exp(by)));
    }
  };
  const giveUp = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && start) cancel();
  };

  element.addEventListener('pointerdown', down);
  element.addEventListener('pointermove', move);
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', cancel);
  element.addEventListener('pointerleave', leave);
  element.addEventListener('wheel', wheel, { passive: false });
  element.addEventListener('keydown', giveUp);
  return () => {
    endWatching();
    element.removeEventListener('pointerdown', down);
    element.removeEventListener('pointermove', move);
    element.removeEventListener('pointerup', up);
    element.removeEventListener('pointercancel', cancel);
    element.removeEventListener('pointerleave', leave);
    element.removeEventListener('wheel', wheel);
    element.removeEventListener('keydown', giveUp);
  };
}
