/** Draws the lanes: calls of functions as boxes, operations run by themselves as small ones, bad ones with a sign. */
import type { Lane, Timeline } from '../../api/types';
import { ORIGIN_SIGN } from '../../state/origins';
import type { Surface } from './canvas';
import { type Row, sameLane } from './lanes';
import { type Bar, barsOf, type Mark, marksOf, type State, signs } from './marks';
import type { Palette } from './palette';
import type { Tick } from './ticks';
import { timeToX, type View, xToTime } from './view';

export interface Scene {
  readonly view: View;
  readonly rows: readonly Row[];
  readonly whole: Timeline;
  readonly detail: Timeline | undefined;
  readonly ticks: readonly Tick[];
  readonly current: number | undefined;
  readonly hovered: number | undefined;
  /** What is being marked to be looked at, in pixels. */
  readonly brush: readonly [number, number] | undefined;
  /** Executions in which the trouble began. */
  readonly origins: ReadonlySet<number>;
}

const GAP = 3;
const SIGN = 7;
const LETTER = 9;
const NAME = 26;

/** Draws all of it. */
export function drawLanes(surface: Surface, scene: Scene): void {
  const { context, width, height, palette } = surface;
  context.textBaseline = 'middle';
  scene.rows.forEach((row, index) => {
    context.fillStyle = index % 2 ? palette.panel : palette.ground;
    context.fillRect(0, row.top, width, row.height);
  });
  context.fillStyle = palette.line;
  for (const tick of scene.ticks) context.fillRect(Math.round(timeToX(scene.view, width, tick.time)), 0, 1, height);
  for (const row of scene.rows) {
    for (const [timeline, from, to] of layers(scene, width)) {
      const lane = sameLane(timeline, row.lane);
      if (!lane) continue;
      context.save();
      context.beginPath();
      context.rect(from, row.top, to - from, row.height);
      context.clip();
      drawLane(surface, scene, lane, row);
      context.restore();
    }
  }
  if (scene.brush) drawBrush(surface, scene.brush);
}

/** Which answer is drawn from which pixel to which: the one in detail, and beside it that about all of the time. */
function layers({ view, whole, detail }: Scene, width: number): readonly (readonly [Timeline, number, number])[] {
  if (!detail) return [[whole, 0, width]];
  const from = Math.min(Math.max(timeToX(view, width, detail.begin_ns), 0), width);
  const to = Math.min(Math.max(timeToX(view, width, detail.end_ns), 0), width);
  // The ends of the trace are the ends of both answers.
  const left = detail.begin_ns <= whole.first_ns ? 0 : from;
  const right = detail.end_ns >= whole.last_ns ? width : to;
  const all = [
    [whole, 0, left],
    [detail, left, right],
    [whole, right, width],
  ] as const;
  return all.filter(([, begin, end]) => end > begin);
}

function drawLane(surface: Surface, scene: Scene, lane: Lane, row: Row): void {
  const bars = barsOf(lane, scene.view, surface.width);
  const marks = marksOf(lane, scene.view, surface.width);
  for (const bar of bars) drawBar(surface, bar, row);
  for (const mark of marks) if (mark.state !== 'bad') drawMark(surface, mark, row);
  const began = (mark: Mark): boolean => scene.origins.has(mark.span.execution);
  const bad = marks.filter(({ state }) => state === 'bad');
  for (const mark of bad) if (!began(mark)) drawMark(surface, mark, row);
  for (const mark of bad) if (began(mark)) drawMark(surface, mark, row, 'origin');
  const narrow = marks.filter((mark) => mark.state === 'bad' && mark.width < LETTER + 4);
  const places = [
    ...bars.filter((bar) => bar.bad).map((bar) => bar.x + bar.width / 2),
    ...narrow.map((mark) => mark.x + Math.min(mark.width, SIGN) / 2),
  ];
  for (const place of signs(places)) drawSign(surface, place, row.top + 1);
  for (const mark of marks) {
    if (mark.span.execution === scene.current) outline(surface, mark, row, surface.palette.accent, 2);
    else if (mark.span.execution === scene.hovered) outline(surface, mark, row, surface.palette.text, 1);
  }
}

function drawBar({ context, palette }: Surface, bar: Bar, row: Row): void {
  const [top, room] = [row.top + GAP, row.height - 2 * GAP];
  const busy = room * bar.busy;
  // Full strength is for what is bad: a busy lane is no alarm.
  context.globalAlpha = bar.bad ? 1 : 0.55;
  context.fillStyle = bar.bad ? palette.bad : palette.fine;
  context.fillRect(bar.x, top + room - busy, bar.width, busy);
  context.globalAlpha = 1;
  if (!bar.eager) return;
  // Dots, not a bar: they are told from functions without colour.
  context.fillStyle = bar.bad && !bar.busy ? palette.bad : palette.muted;
  const high = Math.max(room * 0.6 * bar.eager, 2);
  for (let y = 0; y < high; y += 3) context.fillRect(bar.x, top + room - y - 2, bar.width, 1.5);
}

function drawMark({ context, palette }: Surface, mark: Mark, row: Row, state: State | 'origin' = mark.state): void {
  const [top, height] = boxOf(mark, row);
  const [ground, edge, text] = coloursOf(state, palette);
  // Of a long one only what is in view: a text would not be found otherwise.
  const x = Math.max(mark.x, -2);
  const width = Math.min(mark.x + mark.width, context.canvas.clientWidth + 2) - x;
  if (mark.width < 4) {
    context.fillStyle = edge;
    context.fillRect(mark.x, top, mark.width, height);
    return;
  }
  context.fillStyle = ground;
  context.strokeStyle = edge;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(x + 0.5, top + 0.5, width - 1, height - 1, mark.eager ? height / 3 : 2);
  context.fill();
  context.stroke();
  if (mark.state === 'failed') hatch(context, x, top, width, height, edge);
  context.fillStyle = text;
  const label = labelOf(mark, width, state);
  if (!label) return;
  context.font = `${label.length > 1 ? 11 : 10}px ${palette.sans}`;
  if (label.length > 1) {
    context.save();
    context.beginPath();
    context.rect(x, top, width - 2, height);
    context.clip();
    context.textAlign = 'left';
    context.fillText(label, x + 4, top + height / 2 + 0.5);
    context.restore();
  } else {
    context.textAlign = 'center';
    context.fillText(label, x + width / 2, top + height / 2 + 0.5);
  }
}

/** What is written into a mark: a bad one says so first, a function is marked as one. */
export function labelOf(mark: Mark, width: number, state: State | 'origin' = mark.state): string {
  const letter = mark.span.name.replace(/^_+/, '').charAt(0);
  if (width < LETTER) return '';
  if (mark.eager) return state === 'origin' ? ORIGIN_SIGN : state === 'bad' ? '!' : letter;
  const sign = state === 'origin' ? `${ORIGIN_SIGN} ` : state === 'bad' ? '! ' : mark.state === 'failed' ? '× ' : '';
  if (width < NAME) return sign.trim() || (width >= LETTER + 3 ? 'ƒ' : '');
  return `${sign}ƒ ${mark.span.name}`;
}

function boxOf(mark: Mark, row: Row): readonly [number, number] {
  const room = row.height - 2 * GAP;
  if (!mark.eager) return [row.top + GAP, room];
  const height = Math.min(Math.max(Math.round(room * 0.7), 10), 14);
  return [row.top + row.height - GAP - height, height];
}

function coloursOf(state: State | 'origin', palette: Palette): readonly [string, string, string] {
  if (state === 'origin') return [palette.bad, palette.bad, palette.ground];
  // Paler than where it began.
  if (state === 'bad') return [palette['bad-ground'], palette.bad, palette.bad];
  if (state === 'failed') return [palette['warn-ground'], palette.warn, palette.text];
  if (state === 'fine') return [palette['fine-ground'], palette.fine, palette.text];
  return [palette.panel, palette.muted, palette.muted];
}

function hatch(
  context: CanvasRenderingContext2D,
  x: number,
  top: number,
  width: number,
  height: number,
  colour: string,
): void {
  context.save();
  context.beginPath();
  context.rect(x, top, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.beginPath();
  for (let at = x - height; at < x + width; at += 6) {
    context.moveTo(at, top + height);
    context.lineTo(at + height, top);
  }
  context.stroke();
  context.restore();
}

/** A small triangle that points down, drawn where a bad one is too narrow for its own sign. */
export function drawSign({ context, palette }: Surface, x: number, top: number): void {
  context.fillStyle = palette.bad;
  context.strokeStyle = palette.ground;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x - SIGN / 2, top);
  context.lineTo(x + SIGN / 2, top);
  context.lineTo(x, top + SIGN);
  context.closePath();
  context.stroke();
  context.fill();
}

function outline({ context }: Surface, mark: Mark, row: Row, colour: string, line: number): void {
  context.strokeStyle = colour;
  context.lineWidth = line;
  context.strokeRect(mark.x - 1.5, row.top + 1, mark.width + 3, row.height - 2);
}

function drawBrush({ context, height, palette }: Surface, [from, to]: readonly [number, number]): void {
  context.globalAlpha = 0.25;
  context.fillStyle = palette.accent;
  context.fillRect(Math.min(from, to), 0, Math.abs(to - from), height);
  context.globalAlpha = 1;
  context.fillRect(from, 0, 1, height);
  context.fillRect(to, 0, 1, height);
}

/** The stretch of time that a brush marks. */
export function brushed(view: View, width: number, [from, to]: readonly [number, number]): readonly [number, number] {
  return [xToTime(view, width, Math.min(from, to)), xToTime(view, width, Math.max(from, to))];
}
