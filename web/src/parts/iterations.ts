/** The iteration of each loop around something, the outermost first. */
import { count } from './numbers';

/** What may lie in a loop, or in loops of one another. */
export interface Turned {
  /** Of the innermost loop. */
  readonly iteration: number | null;
  /** In loops of one another those of all; else empty. */
  readonly iterations: readonly number[];
}

export function iterationsOf({ iteration, iterations }: Turned): readonly number[] {
  if (iterations.length > 0) return iterations;
  return iteration === null ? [] : [iteration];
}

/** `2`, in loops of one another `1.0`; empty outside of loops. */
export function iterationText(turned: Turned): string {
  return iterationsOf(turned).map(count).join('.');
}
