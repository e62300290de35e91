/** Keeps the row at the top of the table and what the browser has scrolled together. */
import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { clampTop, type Extent, scaled, scrolledAt, topAt, wheelRows } from './scroll';

/** Pixels that lie between what was set and what the browser made of it. */
const ROUNDING = 1.5;

export interface Scroll {
  /** The row at the top, with its fraction. */
  readonly top: number;
  readonly move: (top: number) => void;
}

/**
 * @param box What scrolls.
 * @param onScroll Called when a person scrolls.
 */
export function useScroll(box: RefObject<HTMLElement | null>, extent: Extent, onScroll: () => void): Scroll {
  const [wished, setTop] = useState(0);
  const top = clampTop(wished, extent);
  const current = useRef({ top, extent, onScroll, scrolled: 0 });
  current.current = { ...current.current, top, extent, onScroll };

  /** What a person scrolled needs no answer: the browser stands there already. */
  const put = useCallback(
    (next: number): void => {
      const element = box.current;
      if (!element) return;
      element.scrollTop = scrolledAt(next, current.current.extent);
      current.current.scrolled = element.scrollTop;
    },
    [box],
  );
  const move = useCallback(
    (next: number): void => {
      const there = clampTop(next, current.current.extent);
      current.current.top = there;
      setTop(there);
      put(there);
    },
    [put],
  );

  useLayoutEffect(() => put(current.current.top), [extent.total, extent.room, put]);

  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const scroll = (): void => {
      const now = current.current;
      if (Math.abs(element.scrollTop - now.scrolled) < ROUNDING) return;
      now.scrolled = element.scrollTop;
      now.top = topAt(element.scrollTop, now.extent);
      setTop(now.top);
      now.onScroll();
    };
    // Where the scrollbar is in proportion, a turn of the wheel would fly over thousands of rows.
    const wheel = (event: WheelEvent): void => {
      if (event.ctrlKey || event.shiftKey || !scaled(current.current.extent) || !event.deltaY) return;
      event.preventDefault();
      move(current.current.top + wheelRows(event, current.current.extent));
      current.current.onScroll();
    };
    element.addEventListener('scroll', scroll, { passive: true });
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      element.removeEventListener('scroll', scroll);
      element.removeEventListener('wheel', wheel);
    };
  }, [box, move]);

  return { top, move };
}
