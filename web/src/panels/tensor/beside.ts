/** Several tensors in one history: which ones, how a link names them, and their points together. */
import type { TensorView } from '../../api/types';
import { go, place } from '../../state/store';
import { type History, history } from './history';

const BETWEEN = '|';

/** A tensor, and its function where it is of one. */
export interface Charted {
  readonly tensor: string;
  readonly name: string;
}

/** As a link has it. */
export function written({ tensor, name }: Charted): string {
  return name ? `${tensor}${BETWEEN}${name}` : tensor;
}

export function read(text: string): Charted {
  const at = text.indexOf(BETWEEN);
  return at < 0 ? { tensor: text, name: '' } : { tensor: text.slice(0, at), name: text.slice(at + 1) };
}

/** Draws a tensor beside those that are chosen from now on, or no longer. */
export function toggleBeside(charted: Charted): void {
  const { beside } = place.peek();
  const own = written(charted);
  go({ beside: beside.includes(own) ? beside.filter((each) => each !== own) : [...beside, own] }, 'replace');
}

/** The history of all of some tensors, each with lines of its own. */
export function together(views: readonly TensorView[]): History {
  const [alone] = views;
  if (alone && views.length === 1) return history(alone.points, alone.callers);
  const lines: string[] = [];
  const points = views.flatMap((view) => {
    const first = lines.length;
    lines.push(...view.callers.map((caller) => (view.callers.length > 1 ? `${view.tensor}, ${caller}` : view.tensor)));
    return view.points.map((point) => ({ ...point, caller: point.caller + first }));
  });
  return history(points, lines);
}
