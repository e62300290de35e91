/** How many events there are, and the way to the next one that is not finite. */
import { count, counted } from '../../parts/numbers';
import { nextBad, notice } from '../../state/steps';
import { allFinite, live, place } from '../../state/store';

export function Found({ total }: { readonly total: number | undefined }) {
  const all = live.value?.tensor_events;
  const found = total === undefined ? '' : counted(total, 'event');
  const searched = place.value.search && all !== undefined && total !== undefined;
  return (
    <>
      <span class="found" role="status">
        {searched ? `${count(total)} of ${counted(all, 'event')}` : found}
        {notice.value ? <em class="found-notice">{notice.value}</em> : null}
      </span>
      <fieldset class="found-moves">
        <legend class="unseen">Events that are not finite</legend>
        <span aria-hidden="true">NaN/∞</span>
        <button
          type="button"
          title="Previous event with a NaN or an infinity"
          aria-label="Previous non-finite event"
          disabled={allFinite.value}
          onClick={() => nextBad('backward')}
        >
          ↑
        </button>
        <button
          type="button"
          title="Next event with a NaN or an infinity"
          aria-label="Next non-finite event"
          disabled={allFinite.value}
          onClick={() => nextBad('forward')}
        >
          ↓
        </button>
      </fieldset>
    </>
  );
}
