/** The map of a run: layers down, steps across. A click, or Enter, goes to the tensor of a cell. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ProgressView } from '../../api/types';
import { onThemeChange, readColours } from '../../parts/colours';
import { count, short } from '../../parts/numbers';
import { useRoom } from '../../parts/scroll/use-room';
import { go } from '../../state/store';
import { bounds, MEASURES, said, shades } from './measures';

const ROW = 22;
const COLOURS = ['panel', 'accent', 'bad', 'text', 'fine-ground'] as const;

type Cell = readonly [row: number, column: number];

export function ProgressMap({ progress }: { readonly progress: ProgressView }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const { width } = useRoom(box);
  const [theme, setTheme] = useState(0);
  const [cell, setCell] = useState<Cell>();
  const { rows, starts, measure } = progress;
  const height = ROW * rows.length;
  const column = width / Math.max(1, starts.length);
  useEffect(() => onThemeChange(() => setTheme((former) => former + 1)), []);
  useEffect(() => setCell(undefined), [progress]);
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context || !width) return;
    const ratio = window.devicePixelRatio || 1;
    element.width = Math.round(width * ratio);
    element.height = Math.round(height * ratio);
    context.scale(ratio, ratio);
    draw(context, element, progress, column, cell);
  }, [progress, width, height, theme, cell]);

  const at = (event: MouseEvent): Cell => [
    Math.min(Math.max(0, Math.floor(event.offsetY / ROW)), rows.length - 1),
    Math.min(Math.max(0, Math.floor(event.offsetX / column)), starts.length - 1),
  ];
  const open = ([row, place]: Cell): void => {
    const event = rows[row]?.events[place];
    if (typeof event === 'number') go({ event, tab: 'tensor', view: 'details' });
  };
  const press = (key: KeyboardEvent): void => {
    const [row, place] = cell ?? [0, 0];
    const to: Readonly<Record<string, Cell>> = {
      ArrowUp: [row - 1, place],
      ArrowDown: [row + 1, place],
      ArrowLeft: [row, place - 1],
      ArrowRight: [row, place + 1],
      Home: [row, 0],
      End: [row, starts.length - 1],
    };
    const next = to[key.key];
    if (key.key === 'Enter') open([row, place]);
    else if (next)
      setCell([Math.min(Math.max(0, next[0]), rows.length - 1), Math.min(Math.max(0, next[1]), starts.length - 1)]);
    else return;
    key.preventDefault();
    key.stopPropagation();
  };
  const words = cell ? cellWords(progress, cell) : '';
  return (
    <div class="progress-map">
      <ol class="progress-names">
        {rows.map(({ name, kind, depth, events }, row) => (
          <li key={name} style={{ height: `${ROW}px`, paddingLeft: `${0.6 * depth}rem` }}>
            <button
              type="button"
              title={`${name}${kind ? `: ${kind}` : ''}`}
              onClick={() => open([row, events.findLastIndex((event) => event !== null)])}
            >
              <bdi>{name}</bdi>
            </button>
          </li>
        ))}
      </ol>
      <div
        ref={box}
        class="progress-cells"
        role="slider"
        tabIndex={0}
        aria-label={`${MEASURES[measure]?.title ?? measure} of each layer over the steps; Enter goes to the tensor`}
        aria-valuemin={0}
        aria-valuemax={rows.length * starts.length - 1}
        aria-valuenow={cell ? cell[0] * starts.length + cell[1] : 0}
        aria-valuetext={words || undefined}
        onKeyDown={press}
      >
        <canvas
          ref={canvas}
          style={{ width: `${width}px`, height: `${height}px` }}
          onMouseMove={(event) => setCell(at(event))}
          onMouseLeave={() => setCell(undefined)}
          onClick={(event) => open(at(event))}
        />
      </div>
      <output class="progress-said">{words || legend(progress)}</output>
    </div>
  );
}

function cellWords({ rows, starts, last_step: last, measure }: ProgressView, [row, place]: Cell): string {
  const [shown, first] = [rows[row], starts[place] ?? 0];
  const end = (starts[place + 1] ?? last + 1) - 1;
  const steps = end > first ? `steps ${count(first)} to ${count(end)}, at the most` : `step ${count(first)}`;
  return `${shown?.name}, ${steps}: ${said(measure, shown?.values[place] ?? null)}`;
}

function legend({ rows, measure }: ProgressView): string {
  if (MEASURES[measure]?.scale !== 'size') return 'Point at a cell to see its number; a click goes to the tensor.';
  const [low, high] = bounds(rows.map(({ values }) => values));
  return `From ${short(low)} (pale) to ${short(high)} (strong). A click goes to the tensor.`;
}

function draw(
  context: CanvasRenderingContext2D,
  element: HTMLElement,
  { measure, rows }: ProgressView,
  width: number,
  cell: Cell | undefined,
): void {
  const colours = readColours(element, COLOURS);
  const shade = shades(
    measure,
    rows.map(({ values }) => values),
  );
  const counted = MEASURES[measure]?.scale === 'count';
  rows.forEach(({ values }, row) => {
    values.forEach((value, column) => {
      const strength = shade(value);
      if (strength === undefined) return;
      const x = Math.round(column * width);
      const room = Math.max(1, Math.round((column + 1) * width) - x - (width > 6 ? 1 : 0));
      const paint = (colour: string, alpha: number): void => {
        context.globalAlpha = alpha;
        context.fillStyle = colour;
        context.fillRect(x, row * ROW + 1, room, ROW - 2);
      };
      paint(counted ? colours['fine-ground'] : colours.panel, 1);
      if (strength > 0) paint(counted ? colours.bad : colours.accent, Math.min(1, strength));
    });
  });
  context.globalAlpha = 1;
  if (!cell) return;
  context.strokeStyle = colours.text;
  context.lineWidth = 1.5;
  context.strokeRect(cell[1] * width, cell[0] * ROW + 0.5, Math.max(2, width), ROW - 1);
}
