/** Draws the axis: the time since the beginning of the trace. */
import type { Surface } from './canvas';
import type { Tick } from './ticks';
import { timeToX, type View } from './view';

export function drawAxis({ context, width, height, palette }: Surface, view: View, ticks: readonly Tick[]): void {
  context.font = `11px ${palette.sans}`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  for (const tick of ticks) {
    const x = Math.round(timeToX(view, width, tick.time));
    context.fillStyle = palette.line;
    context.fillRect(x, 0, 1, height);
    context.fillStyle = palette.muted;
    // The last one stands before its tick where there is no room behind.
    const behind = x + 4 + context.measureText(tick.text).width <= width;
    context.textAlign = behind ? 'left' : 'right';
    context.fillText(tick.text, behind ? x + 4 : x - 3, height / 2);
  }
}
