/** The lanes with their axis: drawn on a canvas, moved with the mouse, walked with the keys, and told in words. */
import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { origins } from '../../state/origins';
import { place } from '../../state/store';
import { Canvas, type Surface } from './canvas';
import { drawAxis } from './draw-axis';
import { drawLanes } from './draw-lanes';
import { press } from './keys';
import { heightOf, rowsOf } from './lanes';
import { brush, hovered, pointing, room } from './pointing';
import { current, currentView, detail, view, whole, width } from './state';
import { ticks } from './ticks';
import { drawTimeMarks } from './time-marks';
import { laneWords, sentenceOf } from './words';

const shownRows = computed(() => (whole.value ? rowsOf(whole.value, room.value) : []));
const shownTicks = computed(() => {
  const [known, shown] = [whole.value, view.value];
  return known && shown ? ticks(shown, known.first_ns, width.value) : [];
});
const spoken = signal('');

export function LanesView() {
  const box = useRef<HTMLDivElement>(null);
  const lanes = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const watch = new ResizeObserver(() => {
      room.value = element.clientHeight;
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  useEffect(() => (lanes.current ? pointing(lanes.current, () => shownRows.value) : undefined), []);

  const rows = shownRows.value;
  const [known, executed] = [whole.value, currentView.value];
  const words = known && executed && executed.execution === current.value ? sentenceOf(executed, known.first_ns) : '';
  spoken.value = words;
  return (
    <>
      <div class="timeline-axis">
        <span class="timeline-corner" />
        <Canvas class="timeline-canvas" draw={drawAxisNow} />
      </div>
      <div ref={box} class="timeline-lanes">
        <div class="timeline-labels">
          {rows.map(({ lane, height }) => (
            <div key={lane.lane} class="timeline-label" style={{ height: `${height}px` }} title={laneWords(lane)}>
              {lane.label}
            </div>
          ))}
        </div>
        <div
          ref={lanes}
          class="timeline-drawing"
          style={{ height: `${Math.max(heightOf(rows), 1)}px` }}
          role="application"
          aria-roledescription="timeline"
          aria-label={`Executions over time, ${rows.length} lanes. Left and right arrows: previous and next execution. Enter: its tensor events. W and S: zoom. A and D: move the view. F: fit it to the chosen execution. M: mark its beginning.`}
          aria-describedby="timeline-chosen-words"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: an application has keys of its own
          tabIndex={0}
          onKeyDown={(event) => press(event, rows)}
        >
          <Canvas class="timeline-canvas" draw={drawLanesNow} resized={resized} />
        </div>
      </div>
      <p id="timeline-chosen-words" class="unseen" aria-live="polite">
        {spoken.value || 'No execution is chosen.'}
      </p>
    </>
  );
}

function resized(pixels: number): void {
  width.value = pixels;
}

function drawAxisNow(surface: Surface): void {
  const shown = view.value;
  if (shown) drawAxis(surface, shown, shownTicks.value);
}

function drawLanesNow(surface: Surface): void {
  const [shown, known] = [view.value, whole.value];
  if (!shown || !known) return;
  drawLanes(surface, {
    view: shown,
    rows: shownRows.value,
    whole: known,
    detail: detail.value,
    ticks: shownTicks.value,
    current: current.value,
    hovered: hovered.value?.execution,
    brush: brush.value,
    origins: origins.value.executions,
  });
  drawTimeMarks(surface, shown, place.value.marks);
}
