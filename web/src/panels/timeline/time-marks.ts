/** Moments that somebody marked in the timeline: with `m` the chosen execution's beginning, and how far apart they are. */
import { go, place } from '../../state/store';
import type { Surface } from './canvas';
import { timeToX, type View } from './view';

export const FLAG = '⚑';

/** The marks after a moment was marked, or the mark there taken away; in the order of time. */
export function toggledMark(marks: readonly number[], moment: number): readonly number[] {
  const at = Math.round(moment);
  return marks.includes(at) ? marks.filter((each) => each !== at) : [...marks, at].sort((one, other) => one - other);
}

/** Marks a moment, or takes its mark away. */
export function toggleMark(moment: number): void {
  go({ marks: toggledMark(place.peek().marks, moment) }, 'replace');
}

/** Draws a line with a flag for each that is in view. */
export function drawTimeMarks(
  { context, width, height, palette }: Surface,
  view: View,
  marks: readonly number[],
): void {
  context.fillStyle = palette.accent;
  for (const mark of marks) {
    const x = Math.round(timeToX(view, width, mark));
    if (x < 0 || x > width) continue;
    context.fillRect(x, 0, 1.5, height);
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x + 8, 4);
    context.lineTo(x, 8);
    context.fill();
  }
}
