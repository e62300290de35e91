/** The head of the timeline: how much there is, what the drawing means, and buttons for what mouse and keys do. */
import { counted, duration } from '../../parts/numbers';
import { ORIGIN_SIGN } from '../../state/origins';
import { allFinite, following, live } from '../../state/store';
import { stepBad } from './choose';
import { look, view, whole, wholeTime } from './state';
import { atEnd, isWhole, touchesEnd, zoomed } from './view';

export function TimelineHead() {
  const [known, shown, all] = [whole.value, view.value, wholeTime.value];
  if (!known || !shown || !all) return null;
  const entire = isWhole(shown, all);
  const zoom = (factor: number) => () => look(zoomed(shown, all, (shown.begin + shown.end) / 2, factor));
  return (
    <>
      <span class="timeline-extent muted">
        {counted(known.executions, 'execution')} in {duration(known.last_ns - known.first_ns)}
        {entire ? '' : `, ${duration(shown.end - shown.begin)} in view`}
      </span>
      <Legend />
      <span class="timeline-buttons">
        {live.value?.running && following.value && !entire ? (
          <button
            type="button"
            aria-pressed={touchesEnd(shown, known.last_ns)}
            title="Keep the end in view while the program runs"
            onClick={() => look(atEnd(shown, all.end))}
          >
            Follow the end
          </button>
        ) : null}
        <button
          type="button"
          title="The previous execution with a tensor that is not finite"
          disabled={allFinite.value}
          onClick={() => stepBad('backward')}
        >
          ‹ bad
        </button>
        <button
          type="button"
          title="The next execution with a tensor that is not finite"
          disabled={allFinite.value}
          onClick={() => stepBad('forward')}
        >
          bad ›
        </button>
        <button type="button" aria-label="Zoom in" title="Zoom in (+ or the wheel)" onClick={zoom(0.5)}>
          +
        </button>
        <button
          type="button"
          aria-label="Zoom out"
          title="Zoom out (- or the wheel)"
          disabled={entire}
          onClick={zoom(2)}
        >
          −
        </button>
        <button type="button" title="Show all of the time (0)" disabled={entire} onClick={() => look(all)}>
          All
        </button>
      </span>
    </>
  );
}

function Legend() {
  return (
    <span class="timeline-legend muted">
      <span>
        <i class="timeline-key timeline-key-function">ƒ</i> function
      </span>
      <span>
        <i class="timeline-key timeline-key-eager">M</i> operation
      </span>
      <span>
        <i class="timeline-key timeline-key-bad">!</i> not finite
      </span>
      <span>
        <i class="timeline-key timeline-key-origin">{ORIGIN_SIGN}</i> where it began
      </span>
    </span>
  );
}
