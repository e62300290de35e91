/** Two parts side by side or one above the other, with a bar between them that is dragged, or moved with the arrow keys. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { resize, type SplitName, shares } from '../state/sizes';
import './split.css';

interface SplitProps {
  readonly name: SplitName;
  /** `row`: side by side. */
  readonly direction: 'row' | 'column';
  /** What the bar moves, for screen readers. */
  readonly label: string;
  readonly first: ComponentChildren;
  readonly second: ComponentChildren;
}

const STEP = 0.02;

export function Split({ name, direction, label, first, second }: SplitProps) {
  const whole = useRef<HTMLDivElement>(null);
  const one = useRef<HTMLDivElement>(null);
  const share = shares.value[name];
  const [drawn, setDrawn] = useState<number>();

  /** Share of the first part as it is drawn. */
  const current = (): number => {
    const [part, all] = [one.current, whole.current];
    if (!part || !all) return 0.5;
    return direction === 'row' ? part.offsetWidth / all.offsetWidth : part.offsetHeight / all.offsetHeight;
  };

  // The style gives the usual size, and the window's size changes it: only what was drawn tells.
  useLayoutEffect(() => {
    const measure = (): void => setDrawn(current());
    const observer = new ResizeObserver(measure);
    for (const part of [whole.current, one.current]) if (part) observer.observe(part);
    measure();
    return () => observer.disconnect();
  }, [direction]);

  const drag = (event: PointerEvent): void => {
    const bar = event.currentTarget as HTMLElement;
    const all = whole.current?.getBoundingClientRect();
    if (!all || event.button !== 0) return;
    event.preventDefault();
    bar.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent): void =>
      resize(
        name,
        direction === 'row' ? (moved.clientX - all.left) / all.width : (moved.clientY - all.top) / all.height,
      );
    const end = (): void => {
      bar.removeEventListener('pointermove', move);
      bar.removeEventListener('pointerup', end);
      bar.removeEventListener('pointercancel', end);
    };
    bar.addEventListener('pointermove', move);
    bar.addEventListener('pointerup', end);
    bar.addEventListener('pointercancel', end);
  };

  const press = (event: KeyboardEvent): void => {
    const [less, more] = direction === 'row' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    if (event.key === less) resize(name, current() - STEP);
    else if (event.key === more) resize(name, current() + STEP);
    else if (event.key === 'Enter') resize(name, undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={whole} class={`split split-${direction} split-${name}`}>
      <div ref={one} class="split-first" style={share === undefined ? {} : { flexBasis: `${100 * share}%` }}>
        {first}
      </div>
      <div
        class="split-bar"
        role="separator"
        tabIndex={0}
        aria-label={label}
        aria-orientation={direction === 'row' ? 'vertical' : 'horizontal'}
        aria-valuemin={5}
        aria-valuemax={95}
        aria-valuenow={Math.round(100 * (drawn ?? share ?? 0.5))}
        title="Drag, or move with the arrow keys; a double click or Enter gives the usual size"
        onPointerDown={drag}
        onDblClick={() => resize(name, undefined)}
        onKeyDown={press}
      />
      <div class="split-second">{second}</div>
    </div>
  );
}
