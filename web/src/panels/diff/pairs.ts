/** The pairs of a comparison: which one is chosen, and how they are drawn. */
import type { ComparisonView, PairView } from '../../api/types';

/** Errors below are drawn as none. */
const NOTHING = 1e-9;
/** What can't be compared is drawn as if it were so far apart. */
const FAR = 10;

/** What the states are called. */
export const WORDS: Readonly<Record<string, string>> = { equal: 'agrees', added: 'made there', inherited: 'came in' };

/** The pair of the chosen event of B; where there is none, that at which the runs part, else the first. */
export function chosenPair(comparison: ComparisonView, event: number | undefined): PairView | undefined {
  const { pairs, b } = comparison;
  return (
    pairs.find((each) => each.event_b === event) ??
    pairs.find((each) => each.event_b === b?.event) ??
    pairs.find((each) => each.state === 'added') ??
    pairs[0]
  );
}

/** The pairs of one step, in the order of the data flow. */
export function ofStep(comparison: ComparisonView, step: number): readonly PairView[] {
  return comparison.pairs.filter((each) => each.step === step);
}

/** How high an error stands between nothing, 0, and the highest one, 1; the scale is logarithmic. */
export function level(error: number | null, highest: number): number {
  const size = error ?? FAR;
  if (size <= NOTHING) return 0;
  return Math.min(1, Math.log(size / NOTHING) / Math.log(Math.max(highest, 10 * NOTHING) / NOTHING));
}

/** The highest of some errors. */
export function highestOf(errors: readonly (number | null)[]): number {
  return errors.reduce<number>((most, each) => Math.max(most, each ?? FAR), 0);
}

/** For each step that has a pair, that at which to look first, and how far the step is apart as far as that is known. */
export function stepsOf(comparison: ComparisonView): readonly { step: number; event: number; error: number }[] {
  const first = new Map<number, PairView>();
  for (const pair of comparison.pairs) {
    const known = first.get(pair.step);
    if (!known || (known.state === 'equal' && pair.state !== 'equal')) first.set(pair.step, pair);
  }
  const errors = new Map(comparison.steps.map(({ step, error }) => [step, error]));
  return [...first].map(([step, pair]) => ({ step, event: pair.event_b, error: errors.get(step) ?? 0 }));
}
