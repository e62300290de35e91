/**
 * The loss and the learning rate over the steps, small: the history of the tensor, one click away, has the rest. A rate
 * that an optimizer was set to is no tensor.
 */
import type { ProgressView } from '../../api/types';
import { Move } from '../../parts/move';
import { count, ends, short } from '../../parts/numbers';

type Line = ProgressView['lines'][number];

const [WIDTH, HEIGHT] = [600, 100];

export function ProgressLines({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <div class="progress-lines">
      {lines.map((line) => (
        <ProgressLine key={`${line.what} ${line.name}`} line={line} />
      ))}
    </div>
  );
}

function ProgressLine({ line }: { readonly line: Line }) {
  const { what, name, steps, values, events } = line;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [first, last] = [steps[0] ?? 0, steps.at(-1) ?? 0];
  const range =
    low === high
      ? `${short(low)} from step ${count(first)} to ${count(last)}`
      : `${short(values[0])} in step ${count(first)}, ${short(values.at(-1))} in step ${count(last)}`;
  return (
    <figure class={`progress-line progress-line-${what}`}>
      <figcaption>
        <strong>{what === 'loss' ? 'Loss' : 'Learning rate'}</strong>{' '}
        {events.length > 0 ? (
          <Move to={{ event: events.at(-1), tab: 'tensor', view: 'details' }}>
            <code>{name}</code>
          </Move>
        ) : (
          <code>{name}</code>
        )}{' '}
        <span class="muted">{range}</span>
      </figcaption>
      <div class="progress-line-drawing">
        <span class="muted">{ends(low, high)[1]}</span>
        <span class="muted">{high > low ? ends(low, high)[0] : ''}</span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${name}: ${range}`}>
          <polyline points={pointsOf(steps, values).join(' ')} vector-effect="non-scaling-stroke" />
        </svg>
      </div>
    </figure>
  );
}

/** Places of a line in its drawing; what stays the same is in the middle. */
export function pointsOf(steps: readonly number[], values: readonly number[]): readonly string[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [first, last] = [steps[0] ?? 0, steps.at(-1) ?? 0];
  return values.map((value, index) => {
    const x = last > first ? (((steps[index] ?? 0) - first) / (last - first)) * WIDTH : WIDTH / 2;
    const y = high > low ? 2 + (1 - (value - low) / (high - low)) * (HEIGHT - 4) : HEIGHT / 2;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
}
