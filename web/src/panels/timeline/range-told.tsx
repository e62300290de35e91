/** The stretch of time in view in words, below the lanes, with the way to its tensors. */
import { Move } from '../../parts/move';
import { count, counted, duration } from '../../parts/numbers';
import { type RangeSum, sumUp } from './range-sum';
import { detail, view, whole, wholeTime } from './state';
import { isWhole } from './view';

const MOST_FUNCTIONS = 3;

export function RangeTold() {
  const [known, shown, all] = [whole.value, view.value, wholeTime.value];
  if (!known?.executions || !shown || !all) return null;
  const entire = isWhole(shown, all);
  const near = detail.value;
  const covered =
    near && near.begin_ns <= Math.max(shown.begin, all.begin) && near.end_ns >= Math.min(shown.end, all.end);
  const sum = sumUp(covered ? near : known, shown);
  const range = sum.executions && `execution:${sum.executions[0]}..${sum.executions[1]}`;
  return (
    <div class="timeline-range" role="status" aria-label="What is in view">
      <span>
        <span class="muted">{entire ? 'in all' : 'in view'}</span> {duration(shown.end - shown.begin)}: {howMuch(sum)}
      </span>
      {sum.functions.slice(0, MOST_FUNCTIONS).map(({ name, calls, took }) => (
        <span key={name}>
          <strong class="mono">{name}</strong>{' '}
          <span class="muted">
            {count(calls)} × {duration(took / calls)}
          </span>
        </span>
      ))}
      {sum.functions.length > MOST_FUNCTIONS ? (
        <span class="muted">and {counted(sum.functions.length - MOST_FUNCTIONS, 'more function')}</span>
      ) : null}
      <span class={sum.nonFinite ? 'timeline-bad' : 'muted'}>
        {sum.nonFinite ? `! ${count(sum.nonFinite)} of ` : ''}
        {counted(sum.events, 'tensor')}
        {sum.nonFinite ? ' not finite' : sum.events ? ', all finite' : ''}
      </span>
      {range && !entire ? (
        <Move
          to={{ search: range, order: 'event', descending: false }}
          title="Show the tensor events in view in the table"
        >
          events in view
        </Move>
      ) : null}
    </div>
  );
}

function howMuch({ calls, operations }: RangeSum): string {
  const parts = [
    calls ? counted(calls, 'call of a function', 'calls of functions') : '',
    operations ? counted(operations, 'operation') : '',
  ].filter(Boolean);
  return parts.join(', ') || 'nothing ran';
}
