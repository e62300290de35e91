/** The error along the data flow of a step: a bar for each pair of values, and what of it was made where. */
import type { PairView } from '../../api/types';
import { short } from '../../parts/numbers';
import { go } from '../../state/store';
import { highestOf, level, WORDS } from './pairs';

interface ErrorChartProps {
  readonly pairs: readonly PairView[];
  readonly chosen: PairView;
}

export function ErrorChart({ pairs, chosen }: ErrorChartProps) {
  const highest = highestOf(pairs.map(({ error }) => error));
  const at = pairs.indexOf(chosen);
  const choose = (index: number): void => {
    const pair = pairs[index];
    if (pair) go({ event: pair.event_b }, 'replace');
  };
  return (
    <figure class="diff-chart" aria-label={`Error along the data flow, step ${chosen.step}`}>
      <figcaption>
        Error along the data flow, step {chosen.step}, at most {short(highestOf(pairs.map(({ error }) => error ?? 0)))}
        {['equal', 'inherited', 'added'].map((state) => (
          <span key={state}>
            <i class={`diff-key diff-${state}`} /> {WORDS[state]}
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${pairs.length} 100`} preserveAspectRatio="none" aria-hidden="true">
        {pairs.map((pair, index) => {
          const height = Math.max(2, 100 * level(pair.error, highest));
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the slider below does the same by keys
            <rect
              key={pair.event_b}
              class={`diff-bar diff-${pair.state}${index === at ? ' diff-at' : ''}`}
              x={index}
              y={100 - height}
              width={0.9}
              height={height}
              onClick={() => choose(index)}
            >
              <title>{`${pair.a} and ${pair.b}: ${short(pair.error)}, ${WORDS[pair.state]}`}</title>
            </rect>
          );
        })}
      </svg>
      <input
        type="range"
        aria-label="Value along the data flow"
        aria-valuetext={`${chosen.b}, ${short(chosen.error)}, ${WORDS[chosen.state]}`}
        min={0}
        max={pairs.length - 1}
        value={at}
        onInput={(event) => choose(Number(event.currentTarget.value))}
      />
    </figure>
  );
}
