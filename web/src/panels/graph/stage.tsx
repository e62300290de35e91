/** Where a graph is drawn: moved with the mouse, walked through with the arrow keys, zoomed. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Camera, centred, fitted, magnified, opening, type Room, revealing } from './camera';
import type { Area } from './layout';
import { moving } from './moving';
import type { Direction } from './walk';

/** What is drawn, as far as the stage must know. */
export interface Scene {
  readonly width: number;
  readonly height: number;
  /** What is seen first where not all can be read, if the centre is in it. */
  readonly first?: Area | undefined;
  /** Where a thing stands; undefined where there is none of this name. */
  readonly areaOf: (thing: string) => Area | undefined;
}

/** Where the keyboard is. */
export interface Cursor {
  readonly at: string;
  readonly move: (thing: string) => void;
}

interface StageProps {
  readonly scene: Scene;
  /** What is looked at first; empty for nothing in particular. */
  readonly centre: string;
  /** Where the keyboard is first. */
  readonly start: string;
  readonly label: string;
  /** Where an arrow key leads to; undefined where there is nothing. */
  readonly walk: (from: string, direction: Direction) => string | undefined;
  /** Does what a key says with the thing that the keyboard is at; true where it means anything. */
  readonly press: (key: string, thing: string) => boolean;
  readonly draw: (cursor: Cursor) => ComponentChildren;
}

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

export function Stage({ scene, centre, start, label, walk, press, draw }: StageProps) {
  const svg = useRef<SVGSVGElement>(null);
  const world = useRef<SVGGElement>(null);
  const camera = useRef<Camera>({ x: 0, y: 0, scale: 1 });
  const former = useRef<Scene | undefined>(undefined);
  // Whether the keyboard is in the drawing: what is drawn anew, as a box that was opened, loses it.
  const held = useRef(false);
  const [cursor, setCursor] = useState(start);
  const at = scene.areaOf(cursor) ? cursor : start;

  const room = (): Room => ({ width: svg.current?.clientWidth || 1, height: svg.current?.clientHeight || 1 });
  // The camera that the drawing was opened with: until it is moved, a room of another size opens it anew.
  const opened = useRef<Camera | undefined>(undefined);
  const look = (to: Camera): void => {
    camera.current = to;
    world.current?.setAttribute('transform', `translate(${to.x} ${to.y}) scale(${to.scale})`);
  };
  const open = (): void => {
    look(opening(scene, room(), scene.areaOf(centre), scene.first));
    opened.current = camera.current;
  };
  const middle = (): { x: number; y: number } => ({ x: room().width / 2, y: room().height / 2 });

  useEffect(() => {
    setCursor(start);
    const area = scene.areaOf(start);
    if (area && former.current) look(revealing(camera.current, area, room()));
  }, [start]);
  useLayoutEffect(() => {
    const before = former.current?.areaOf(at);
    const now = scene.areaOf(at);
    const { x, y, scale } = camera.current;
    if (before && now) {
      // What one stands at stays where it is while things around it come and go; a box grows downwards.
      const [was, is] = [before.y - before.height / 2, now.y - now.height / 2];
      const kept = { x: x + (before.x - now.x) * scale, y: y + (was - is) * scale, scale };
      const next = before.height === now.height ? kept : revealing(kept, now, room());
      const still = opened.current === camera.current && next.x === x && next.y === y;
      look(next);
      if (still) opened.current = camera.current;
    } else open();
    former.current = scene;
    if (held.current && !svg.current?.contains(document.activeElement)) focus(at);
  }, [scene]);
  const reopen = useRef(open);
  reopen.current = open;
  useEffect(() => {
    const element = svg.current;
    if (!element) return undefined;
    const watch = new ResizeObserver(() => {
      if (opened.current === camera.current) reopen.current();
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  useEffect(() => (svg.current ? moving(svg.current, () => camera.current, look) : undefined), []);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = DIRECTIONS[event.key];
    if (direction) go(direction);
    else if (event.key === '+' || event.key === '=') look(magnified(camera.current, middle(), 1.25));
    else if (event.key === '-') look(magnified(camera.current, middle(), 0.8));
    else if (event.key === '0') look(fitted(scene, room()));
    else if (!scene.areaOf(at) || !press(event.key, at)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const go = (direction: Direction): void => {
    const next = walk(at, direction);
    const area = next === undefined ? undefined : scene.areaOf(next);
    if (next === undefined || !area) return;
    setCursor(next);
    look(revealing(camera.current, area, room()));
    focus(next);
  };
  const focus = (thing: string): void => {
    svg.current?.querySelector<SVGElement>(`[data-node="${CSS.escape(thing)}"]`)?.focus({ preventScroll: true });
  };

  return (
    <div class="graph-stage">
      <svg
        ref={svg}
        class="graph-svg"
        role="group"
        aria-label={label}
        onKeyDown={onKeyDown}
        onFocusIn={() => {
          held.current = true;
        }}
        onFocusOut={(event) => {
          if (event.relatedTarget) held.current = svg.current?.contains(event.relatedTarget as Node) ?? false;
        }}
      >
        <defs>
          <Arrow id="graph-arrow" class="graph-arrow" />
          <Arrow id="graph-arrow-bad" class="graph-arrow-bad" />
        </defs>
        <g ref={world}>{draw({ at, move: setCursor })}</g>
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
        <button type="button" title="Show all of it (0)" onClick={() => look(fitted(scene, room()))}>
          Fit
        </button>
        {centre ? (
          <button
            type="button"
            title="Back to the chosen operation"
            onClick={() => {
              const area = scene.areaOf(centre);
              if (area) look(centred(area, room(), Math.max(camera.current.scale, 0.75)));
            }}
          >
            Centre
          </button>
        ) : null}
      </div>
    </div>
  );
}

function Arrow({ id, class: name }: { readonly id: string; readonly class: string }) {
  return (
    <marker
      id={id}
      class={name}
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="9"
      markerHeight="9"
      orient="auto"
      markerUnits="userSpaceOnUse"
    >
      <path d="M0 0 L8 4 L0 8 z" />
    </marker>
  );
}
