/** The drawing of a graph: moved with the mouse, walked along its edges with the arrow keys. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { NodeView } from '../../api/types';
import { chooseNode, showMore, toggleCall } from './act';
import { type Camera, centred, fitted, magnified, opening, type Room, revealing } from './camera';
import { GraphEdges } from './graph-edges';
import { GraphNode } from './graph-node';
import type { Drawing } from './layout';
import type { Neighbourhood } from './neighbourhood';
import { type Direction, walked } from './walk';

interface GraphDrawingProps {
  readonly drawing: Drawing;
  readonly shown: Neighbourhood;
}

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};
const STILL = 4;

export function GraphDrawing({ drawing, shown }: GraphDrawingProps) {
  const svg = useRef<SVGSVGElement>(null);
  const world = useRef<SVGGElement>(null);
  const camera = useRef<Camera>({ x: 0, y: 0, scale: 1 });
  const former = useRef<Drawing | undefined>(undefined);
  const [cursor, setCursor] = useState(shown.centre);
  const known = drawing.nodes.some((each) => each.node.node === cursor) ? cursor : shown.centre;

  const room = (): Room => ({ width: svg.current?.clientWidth || 1, height: svg.current?.clientHeight || 1 });
  const look = (to: Camera): void => {
    camera.current = to;
    world.current?.setAttribute('transform', `translate(${to.x} ${to.y}) scale(${to.scale})`);
  };
  const middle = (): { x: number; y: number } => ({ x: room().width / 2, y: room().height / 2 });
  const areaOf = (node: string) => drawing.nodes.find((each) => each.node.node === node);

  useEffect(() => setCursor(shown.centre), [shown.centre]);
  useLayoutEffect(() => {
    const before = former.current?.nodes.find((each) => each.node.node === known);
    const now = areaOf(known);
    const { x, y, scale } = camera.current;
    // What one stands at stays where it is while things around it come and go.
    if (before && now) look({ x: x + (before.x - now.x) * scale, y: y + (before.y - now.y) * scale, scale });
    else look(opening(drawing, room(), areaOf(shown.centre)));
    former.current = drawing;
  }, [drawing]);
  useEffect(() => (svg.current ? moving(svg.current, () => camera.current, look) : undefined), []);

  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const here = areaOf(known)?.node;
    const direction = DIRECTIONS[event.key];
    if (direction) walk(direction);
    else if ((event.key === 'Enter' || event.key === ' ') && here) chooseNode(here);
    else if (event.key === 'o' && here) toggleCall(here);
    else if (event.key === 'm' && here) showMore(here);
    else if (event.key === '+' || event.key === '=') look(magnified(camera.current, middle(), 1.25));
    else if (event.key === '-') look(magnified(camera.current, middle(), 0.8));
    else if (event.key === '0') look(fitted(drawing, room()));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const walk = (direction: Direction): void => {
    const next = walked(drawing, known, direction);
    const area = next === undefined ? undefined : areaOf(next);
    if (next === undefined || !area) return;
    setCursor(next);
    look(revealing(camera.current, area, room()));
    svg.current?.querySelector<SVGElement>(`[data-node="${CSS.escape(next)}"]`)?.focus({ preventScroll: true });
  };

  return (
    <div class="graph-stage">
      <svg ref={svg} class="graph-svg" role="group" aria-label={wordsFor(drawing)} onKeyDown={press}>
        <defs>
          <Arrow id="graph-arrow" class="graph-arrow" />
          <Arrow id="graph-arrow-bad" class="graph-arrow-bad" />
        </defs>
        <g ref={world}>
          {drawing.boxes.map(({ box, x, y, width, height }) => (
            <g key={box.id} class={`graph-box graph-box-${box.kind}`} data-box={box.label}>
              <rect x={x - width / 2} y={y - height / 2 - 9} width={width} height={height + 9} rx={6} />
              <text x={x - width / 2 + 6} y={y - height / 2 + 3}>
                {clipped(box.label, width)}
              </text>
            </g>
          ))}
          <GraphEdges key="edges" drawing={drawing} centre={shown.centre} />
          {drawing.nodes.map((each) => (
            <GraphNode
              key={each.node.node}
              placed={each}
              centre={shown.centre}
              focusable={each.node.node === known}
              focused={(node: NodeView) => setCursor(node.node)}
            />
          ))}
        </g>
      </svg>
      <div class="graph-zoom">
        <button
          type="button"
          aria-label="Zoom in"
          title="Zoom in (+)"
          onClick={() => look(magnified(camera.current, middle(), 1.25))}
        >
          +
        </button>
        <button
          type="button"
          aria-label="Zoom out"
          title="Zoom out (-)"
          onClick={() => look(magnified(camera.current, middle(), 0.8))}
        >
          −
        </button>
        <button type="button" title="Show all of it (0)" onClick={() => look(fitted(drawing, room()))}>
          Fit
        </button>
        <button
          type="button"
          title="Back to the chosen operation"
          onClick={() => {
            const area = areaOf(shown.centre);
            if (area) look(centred(area, room(), Math.max(camera.current.scale, 0.75)));
          }}
        >
          Centre
        </button>
      </div>
    </div>
  );
}

function Arrow({ id, class: name }: { readonly id: string; readonly class: string }) {
  return (
    <marker id={id} class={name} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
      <path d="M0 0 L8 4 L0 8 z" />
    </marker>
  );
}

function wordsFor(drawing: Drawing): string {
  return `${drawing.nodes.length} operations and ${drawing.edges.length} tensors. Arrow up: to an input. Arrow down: to a consumer. Enter: choose. O: open a call. M: show hidden neighbours.`;
}

function clipped(text: string, width: number): string {
  const most = Math.max(Math.floor((width - 12) / 6.2), 4);
  return text.length <= most ? text : `…${text.slice(text.length - most + 1)}`;
}

/** Moves the camera with the mouse until the function that is returned is called. */
function moving(svg: SVGSVGElement, camera: () => Camera, look: (to: Camera) => void): () => void {
  let start: { readonly x: number; readonly y: number; readonly camera: Camera; far: boolean } | undefined;
  const down = (event: PointerEvent): void => {
    if (event.button === 0) start = { x: event.clientX, y: event.clientY, camera: camera(), far: false };
  };
  const move = (event: PointerEvent): void => {
    if (!start) return;
    const [x, y] = [event.clientX - start.x, event.clientY - start.y];
    if (!start.far && Math.hypot(x, y) < STILL) return;
    if (!start.far) svg.setPointerCapture(event.pointerId);
    start.far = true;
    look({ ...start.camera, x: start.camera.x + x, y: start.camera.y + y });
  };
  const up = (): void => {
    start = undefined;
  };
  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const factor = Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0015));
    look(magnified(camera(), { x: event.clientX - box.left, y: event.clientY - box.top }, factor));
  };
  svg.addEventListener('pointerdown', down);
  svg.addEventListener('pointermove', move);
  svg.addEventListener('pointerup', up);
  svg.addEventListener('pointercancel', up);
  svg.addEventListener('wheel', wheel, { passive: false });
  return () => {
    svg.removeEventListener('pointerdown', down);
    svg.removeEventListener('pointermove', move);
    svg.removeEventListener('pointerup', up);
    svg.removeEventListener('pointercancel', up);
    svg.removeEventListener('wheel', wheel);
  };
}
