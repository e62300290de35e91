/** The marked moments in words, below the lanes: each with a way to it, and the time from one to the next. */
import { duration } from '../../parts/numbers';
import { place } from '../../state/store';
import { look, view, whole, wholeTime } from './state';
import { sinceStart } from './ticks';
import { FLAG, toggleMark } from './time-marks';
import { showing } from './view';

export function TimeMarksTold() {
  const { marks } = place.value;
  const [known, shown, all] = [whole.value, view.value, wholeTime.value];
  if (!marks.length || !known || !shown || !all) return null;
  return (
    <ul class="timeline-marks" aria-label="Marked moments">
      {marks.map((mark, index) => {
        const before = marks[index - 1];
        const when = sinceStart(mark - known.first_ns, 1e5);
        return (
          <li key={mark}>
            {before === undefined ? null : <span class="muted">+{duration(mark - before)} </span>}
            <button type="button" title="Bring it into view" onClick={() => look(showing(shown, all, mark, mark))}>
              <span aria-hidden="true">{FLAG}</span> {when}
            </button>
            <button
              type="button"
              aria-label={`Take away the mark at ${when}`}
              title="Take it away"
              onClick={() => toggleMark(mark)}
            >
              ×
            </button>
          </li>
        );
      })}
    </ul>
  );
}
