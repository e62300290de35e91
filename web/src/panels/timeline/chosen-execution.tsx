/** The chosen execution below the timeline: what it was, and its tensor events in order. */
import { Move } from '../../parts/move';
import { count } from '../../parts/numbers';
import { EventStrip } from './event-strip';
import { current, currentView, whole } from './state';
import { sinceStart } from './ticks';
import { healthOf, kindOf, lengthOf } from './words';

export function ChosenExecution() {
  const [execution, told, known] = [current.value, currentView.value, whole.value];
  if (execution === undefined || !told || !known) {
    return <div class="timeline-chosen muted">Click an execution, or walk through them with the arrow keys.</div>;
  }
  const stale = told.execution !== execution;
  const length = lengthOf(told);
  return (
    <div class={`timeline-chosen${stale ? ' timeline-stale' : ''}`}>
      <span class="timeline-told" title={`execution ${count(told.execution)}`}>
        <span class="muted">#{count(told.execution)}</span> <strong class="mono">{told.name}</strong>{' '}
        <span class="muted">
          {kindOf(told)} · step {count(told.step)} · at {sinceStart(told.begin_ns - known.first_ns, 1e5)}
          {length ? ` · ${length}` : ''}
          {told.failed ? ' · failed' : ''}
        </span>
      </span>
      <span class={told.non_finite ? 'timeline-bad' : 'muted'}>
        {told.non_finite ? '! ' : ''}
        {healthOf(told)}
      </span>
      {told.events ? (
        <Move
          to={{ search: `execution:${told.execution}`, order: 'event', descending: false }}
          title="Show its tensor events in the table (Enter)"
        >
          events
        </Move>
      ) : null}
      {told.first_bad_event !== null ? (
        <Move
          to={{ execution: told.execution, event: told.first_bad_event }}
          title="Its first tensor that is not finite"
        >
          first bad
        </Move>
      ) : null}
      {told.events ? <EventStrip execution={told.execution} total={told.events} /> : null}
    </div>
  );
}
