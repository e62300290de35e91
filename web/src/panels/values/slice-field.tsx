/** Which elements are shown: a slice as in NumPy, with steps along the axes that it holds fast. */
import { useEffect, useState } from 'preact/hooks';
import type { ValuesView } from '../../api/types';
import { count, shape } from '../../parts/numbers';
import { go } from '../../state/store';
import { sliceAt } from '../event/slice-at';
import { itemsOf, withNumber } from './slices';

interface SliceFieldProps {
  /** What is asked for. */
  readonly slice: string;
  readonly shown: ValuesView | undefined;
  readonly problem: string;
  /** Index of the first element that is not finite. */
  readonly bad: readonly number[] | undefined;
}

export function SliceField({ slice, shown, problem, bad }: SliceFieldProps) {
  const taken = shown?.slice ?? '';
  const [text, setText] = useState(slice || taken);
  useEffect(() => setText(slice || taken), [slice, taken]);
  const items = shown ? itemsOf(shown.slice, shown.shape) : undefined;
  return (
    <div class="slice">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go({ slice: text.trim() });
        }}
      >
        <label>
          Slice{' '}
          <input
            class="slice-field"
            value={text}
            spellcheck={false}
            autoComplete="off"
            placeholder="[0, :, 3]"
            title="As in NumPy: [0, :, ::2], ..., -1; Enter shows it"
            aria-invalid={problem ? 'true' : 'false'}
            aria-describedby={problem ? 'slice-problem' : undefined}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
      </form>
      <span class="slice-whole">
        {shown ? `of ${shown.dtype}${shape(shown.shape)}` : ''}
        {shown && shown.rows_total * shown.columns_total === 0 ? ', which holds no elements' : ''}
      </span>
      {shown && items
        ? items.map((item, axis) =>
            item.kind === 'number' ? (
              <AxisSteps
                key={axis}
                axis={axis}
                at={item.at}
                size={shown.shape[axis] ?? 1}
                onStep={(at) => go({ slice: withNumber(shown.slice, axis, at, shown.shape[axis] ?? 1) }, 'replace')}
              />
            ) : null,
          )
        : null}
      {bad ? (
        <button type="button" class="slice-bad" onClick={() => go({ slice: sliceAt(bad) }, 'replace')}>
          ✕ first at {shape(bad)}
        </button>
      ) : null}
    </div>
  );
}

interface AxisStepsProps {
  readonly axis: number;
  readonly at: number;
  readonly size: number;
  readonly onStep: (at: number) => void;
}

function AxisSteps({ axis, at, size, onStep }: AxisStepsProps) {
  return (
    <span class="slice-axis">
      <button type="button" disabled={at <= 0} aria-label={`Axis ${axis}: previous`} onClick={() => onStep(at - 1)}>
        ‹
      </button>
      <span title={`Axis ${axis}: ${at} of 0 to ${size - 1}`}>
        axis {axis}: {count(at)}
      </span>
      <button type="button" disabled={at >= size - 1} aria-label={`Axis ${axis}: next`} onClick={() => onStep(at + 1)}>
        ›
      </button>
    </span>
  );
}
