/** A map of coloured cells: named rows down, columns across. By mouse and by keys one cell is pointed at, and opened. */
import { useEffect, useRef, useState } from 'preact/hooks';
import './cell-map.css';
import { onThemeChange, readColours } from './colours';
import { useRoom } from './scroll/use-room';

/** A colour by the name of its token, how strong it is, and which share of the cell's height it fills, from below. */
export interface Paint {
  readonly colour: string;
  readonly alpha: number;
  readonly share?: number;
}

export interface MapRow {
  readonly name: string;
  readonly title: string;
  /** How far its name is moved in. */
  readonly depth: number;
}

export type Cell = readonly [row: number, column: number];

interface CellMapProps {
  /** What the map shows, for those who don't see it. */
  readonly label: string;
  readonly rows: readonly MapRow[];
  readonly columns: number;
  /** Height of a row in pixels. */
  readonly height: number;
  /** Tokens of all colours that are used. */
  readonly colours: readonly string[];
  /** What is painted into a cell, one over the other; another function for another picture. */
  readonly paint: (cell: Cell) => readonly Paint[];
  /** What is said of a cell. */
  readonly words: (cell: Cell) => string;
  /** What is said where no cell is pointed at. */
  readonly legend: string;
  readonly onOpen: (cell: Cell) => void;
  readonly onName: (row: number) => void;
}

/** Names need so many pixels: of lower rows only some are named. */
const NAME = 14;

export function CellMap(props: CellMapProps) {
  const { rows, columns, height, colours, paint, words, legend, onOpen, onName, label } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const { width } = useRoom(box);
  const [theme, setTheme] = useState(0);
  const [cell, setCell] = useState<Cell>();
  const column = width / Math.max(1, columns);
  const named = Math.max(1, Math.ceil(NAME / height));
  useEffect(() => onThemeChange(() => setTheme((former) => former + 1)), []);
  useEffect(() => setCell(undefined), [rows, columns]);
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context || !width) return;
    const ratio = window.devicePixelRatio || 1;
    element.width = Math.round(width * ratio);
    element.height = Math.round(height * rows.length * ratio);
    context.scale(ratio, ratio);
    draw(context, readColours(element, colours), [rows.length, columns], [height, column], paint);
  }, [rows, columns, paint, width, height, theme]);

  const inside = ([row, place]: Cell): Cell => [
    Math.min(Math.max(0, row), rows.length - 1),
    Math.min(Math.max(0, place), columns - 1),
  ];
  const at = (event: MouseEvent): Cell =>
    inside([Math.floor(event.offsetY / height), Math.floor(event.offsetX / column)]);
  const press = (key: KeyboardEvent): void => {
    const here = cell ?? [0, 0];
    const next = key.key === 'Enter' ? here : moved(here, key.key, columns);
    if (!next) return;
    if (key.key === 'Enter') onOpen(here);
    else setCell(inside(next));
    key.preventDefault();
    key.stopPropagation();
  };
  const said = cell ? words(cell) : '';
  return (
    <div class="cell-map">
      <ol class="map-names">
        {rows.map(({ name, title, depth }, row) =>
          row % named ? null : (
            <li key={name} style={{ height: `${named * height}px`, paddingLeft: `${0.6 * depth}rem` }}>
              <button type="button" title={title} onClick={() => onName(row)}>
                <bdi>{name}</bdi>
              </button>
            </li>
          ),
        )}
      </ol>
      <div
        ref={box}
        class="map-cells"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, rows.length * columns - 1)}
        aria-valuenow={cell ? cell[0] * columns + cell[1] : 0}
        aria-valuetext={said || undefined}
        onKeyDown={press}
      >
        <canvas
          ref={canvas}
          style={{ width: `${width}px`, height: `${height * rows.length}px` }}
          onMouseMove={(event) => setCell(at(event))}
          onMouseLeave={() => setCell(undefined)}
          onClick={(event) => onOpen(at(event))}
        />
        {cell ? (
          <span
            class="map-cell"
            style={{
              left: `${cell[1] * column}px`,
              top: `${cell[0] * height}px`,
              width: `${Math.max(2, column)}px`,
              height: `${height}px`,
            }}
          />
        ) : null}
      </div>
      <output class="map-said">{said || legend}</output>
    </div>
  );
}

/** The cell that a key leads to; undefined for keys that lead nowhere. */
export function moved([row, column]: Cell, key: string, columns: number): Cell | undefined {
  const to: Readonly<Record<string, Cell>> = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, 0],
    End: [row, columns - 1],
  };
  return to[key];
}

function draw(
  context: CanvasRenderingContext2D,
  colours: Readonly<Record<string, string>>,
  [rows, columns]: Cell,
  [height, width]: readonly [number, number],
  paint: (cell: Cell) => readonly Paint[],
): void {
  const gap = height > 8 ? 1 : 0;
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const x = Math.round(column * width);
      const room = Math.max(1, Math.round((column + 1) * width) - x - (width > 6 ? 1 : 0));
      for (const { colour, alpha, share = 1 } of paint([row, column])) {
        const tall = (height - 2 * gap) * share;
        context.globalAlpha = alpha;
        context.fillStyle = colours[colour] ?? '';
        context.fillRect(x, (row + 1) * height - gap - tall, room, tall);
      }
    }
  context.globalAlpha = 1;
}
