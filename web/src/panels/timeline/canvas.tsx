/** A canvas as sharp as the screen, drawn again once a frame when something that its drawing reads has changed. */
import { effect, signal } from '@preact/signals';
import type { Ref } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { onThemeChange } from '../../parts/colours';
import { type Palette, readPalette } from './palette';

export interface Surface {
  readonly context: CanvasRenderingContext2D;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
}

interface CanvasProps {
  readonly class: string;
  /** Signals that it reads have it drawn anew; keep it the same function. */
  readonly draw: (surface: Surface) => void;
  readonly resized?: (width: number, height: number) => void;
  readonly canvas?: Ref<HTMLCanvasElement>;
}

export function Canvas({ class: name, draw, resized, canvas }: CanvasProps) {
  const own = useRef<HTMLCanvasElement>(null);

  useEffect(() => {
    const element = own.current;
    const context = element?.getContext('2d');
    if (!element || !context) return undefined;
    if (typeof canvas === 'function') canvas(element);
    else if (canvas) canvas.current = element;
    const size = signal({ width: 0, height: 0, ratio: 1 });
    const palette = signal(readPalette(document.body));
    const watch = new ResizeObserver(() => {
      size.value = { width: element.clientWidth, height: element.clientHeight, ratio: window.devicePixelRatio };
      resized?.(element.clientWidth, element.clientHeight);
    });
    watch.observe(element);
    const endTheme = onThemeChange(() => {
      palette.value = readPalette(document.body);
    });
    const endDrawing = everyFrame(() => {
      const { width, height, ratio } = size.value;
      if (element.width !== Math.round(width * ratio)) element.width = Math.round(width * ratio);
      if (element.height !== Math.round(height * ratio)) element.height = Math.round(height * ratio);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      draw({ context, width, height, palette: palette.value });
    });
    return () => {
      watch.disconnect();
      endTheme();
      endDrawing();
    };
  }, [draw, resized]);

  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a canvas without a tab index takes no focus; what it shows is told beside it
  return <canvas ref={own} class={name} aria-hidden="true" />;
}

/** Runs what draws in the next frame after a signal that it read has changed, once however many have. */
function everyFrame(draw: () => void): () => void {
  let frame = 0;
  let end = (): void => {};
  const run = (): void => {
    end();
    let first = true;
    // The signals are read while drawing; when one changes, drawing waits for the next frame.
    end = effect(() => {
      if (first) draw();
      else if (!frame) {
        frame = requestAnimationFrame(() => {
          frame = 0;
          run();
        });
      }
      first = false;
    });
  };
  run();
  return () => {
    end();
    cancelAnimationFrame(frame);
  };
}
