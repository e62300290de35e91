/** How far each step is apart; a step is chosen in both runs at once. */
import type { ComparisonView } from '../../api/types';
import { short } from '../../parts/numbers';
import { go } from '../../state/store';
import { highestOf, level, stepsOf } from './pairs';

const MOST = 200;

export function StepBars({ comparison, step }: { readonly comparison: ComparisonView; readonly step: number }) {
  const steps = stepsOf(comparison).slice(0, MOST);
  if (steps.length < 2) return null;
  const highest = highestOf(steps.map(({ error }) => error));
  return (
    <nav class="diff-steps" aria-label="Steps">
      {steps.map((each) => (
        <button
          key={each.step}
          type="button"
          aria-pressed={each.step === step}
          title={`step ${each.step}: ${short(each.error)} apart in the middle`}
          onClick={() => go({ event: each.event })}
        >
          <i style={{ height: `${Math.max(4, 100 * level(each.error, highest))}%` }} />
          {each.step < 0 ? 'before' : each.step}
        </button>
      ))}
    </nav>
  );
}
