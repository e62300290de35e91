/** All of the time in a strip, with a window that shows what is in view; dragging marks another part, or moves it. */
import { useRef } from 'preact/hooks';
import { Canvas, type Surface } from './canvas';
import { columnsOf } from './columns';
import { drawSign } from './draw-lanes';
import { signs } from './marks';
import { look, view, whole, wholeTime } from './state';
import { between, isWhole, panned, timeToX, type View, xToTime } from './view';

const EDGE = 6;

type Drag =
  | { readonly kind: 'brush'; readonly from: number }
  | { readonly kind: 'move'; readonly from: number; readonly view: View }
  | { readonly kind: 'edge'; readonly fixed: number };

export function OverviewStrip() {
  const drag = useRef<Drag | undefined>(undefined);

  const timeAt = (event: PointerEvent): number | undefined => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return wholeTime.value && xToTime(wholeTime.value, box.width, event.clientX - box.left);
  };

  const press = (event: PointerEvent): void => {
    const [time, shown, all] = [timeAt(event), view.value, wholeTime.value];
    if (event.button !== 0 || time === undefined || !shown || !all) return;
    const strip = event.currentTarget as HTMLElement;
    strip.setPointerCapture(event.pointerId);
    const edge = (EDGE / strip.clientWidth) * (all.end - all.begin);
    if (isWhole(shown, all)) drag.current = { kind: 'brush', from: time };
    else if (Math.abs(time - shown.begin) < edge) drag.current = { kind: 'edge', fixed: shown.end };
    else if (Math.abs(time - shown.end) < edge) drag.current = { kind: 'edge', fixed: shown.begin };
    else if (time > shown.begin && time < shown.end && !event.shiftKey)
      drag.current = { kind: 'move', from: time, view: shown };
    else drag.current = { kind: 'brush', from: time };
  };

  const move = (event: PointerEvent): void => {
    const [time, all, now] = [timeAt(event), wholeTime.value, drag.current];
    if (time === undefined || !all || !now) return;
    if (now.kind === 'move') look(panned(now.view, all, time - now.from));
    else look(between(now.kind === 'edge' ? now.fixed : now.from, time, all));
  };

  const release = (): void => {
    drag.current = undefined;
  };

  return (
    <div class="timeline-all">
      <span class="timeline-label">all of the time</span>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: for the mouse; the keys of the lanes do the same */}
      <div
        class="timeline-overview"
        title="All of the time. Drag to choose a part of it; drag the window or its edges to move it; a double click shows all"
        onPointerDown={press}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={release}
        onDblClick={() => wholeTime.value && look(wholeTime.value)}
      >
        <Canvas class="timeline-canvas" draw={drawOverview} />
      </div>
    </div>
  );
}

function drawOverview(surface: Surface): void {
  const { context, width, height, palette } = surface;
  const [known, time, shown] = [whole.value, wholeTime.value, view.value];
  if (!known || !time || !shown) return;
  const { busy, bad } = columnsOf(known, width);
  context.fillStyle = palette.fine;
  context.globalAlpha = 0.55;
  busy.forEach((amount, x) => {
    if (amount) context.fillRect(x, height - amount * (height - 8), 1, amount * (height - 8));
  });
  context.globalAlpha = 1;
  context.fillStyle = palette.bad;
  for (const x of bad) context.fillRect(x, 8, 1.5, height - 8);
  for (const x of signs(bad, 12)) drawSign(surface, x + 0.5, 0);
  if (isWhole(shown, time)) return;
  const from = timeToX(time, width, shown.begin);
  const to = Math.max(timeToX(time, width, shown.end), from + 3);
  context.globalAlpha = 0.7;
  context.fillStyle = palette.ground;
  context.fillRect(0, 0, from, height);
  context.fillRect(to, 0, width - to, height);
  context.globalAlpha = 1;
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  context.strokeRect(from + 1, 1, Math.max(to - from - 2, 1), height - 2);
}
