/** The elements as a picture: finite ones along a scale of colours, NaN and infinities in colours and signs of their own. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ValuesView } from '../../api/types';
import { onThemeChange, readColours } from '../../parts/colours';
import { count, exact, short } from '../../parts/numbers';
import { useRoom } from '../../parts/scroll/use-room';
import type { Range, ValueBlocks } from './blocks';
import { drawHeat } from './draw-heat';
import { type Bad, cellSize, type HeatColours, heatScale, rgbOf, SIGNS } from './heat';
import type { Cell } from './values-view';

interface HeatMapProps {
  readonly blocks: ValueBlocks;
  readonly shown: ValuesView;
  /** The rows and columns that are drawn. */
  readonly part: readonly [Range, Range];
  readonly cell: Cell | undefined;
  readonly onCell: (cell: Cell) => void;
  /** How high the picture may be, in pixels. */
  readonly height: number;
  readonly label: (cell: Cell) => string;
}

const TOKENS = ['panel', 'negative', 'positive', 'nan', 'pos-inf', 'neg-inf', 'raised', 'accent', 'text'] as const;

export function HeatMap({ blocks, shown, part, cell, onCell, height, label }: HeatMapProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useRoom(box);
  const [theme, setTheme] = useState(0);
  const [pointed, setPointed] = useState<Cell>();
  const [rows, columns] = part;
  const scale = heatScale(shown.min, shown.max);
  const size = cellSize({ width, height }, rows[1] - rows[0] + 1, columns[1] - columns[0] + 1);
  const version = blocks.version.value;

  useEffect(() => onThemeChange(() => setTheme((times) => times + 1)), []);
  useEffect(() => {
    if (!canvas.current || !box.current || !width) return;
    const tokens = readColours(box.current, TOKENS);
    const colours: HeatColours = {
      middle: rgbOf(tokens.panel),
      negative: rgbOf(tokens.negative),
      positive: rgbOf(tokens.positive),
      nan: rgbOf(tokens.nan),
      'pos-inf': rgbOf(tokens['pos-inf']),
      'neg-inf': rgbOf(tokens['neg-inf']),
      nothing: rgbOf(tokens.raised),
    };
    drawHeat(canvas.current, {
      blocks,
      rows,
      columns,
      size,
      scale,
      colours,
      cell,
      frame: tokens.accent,
      sign: tokens.raised,
    });
  }, [blocks, version, width, theme, rows[0], rows[1], columns[0], columns[1], cell, size[0], size[1]]);

  const cellAt = (event: MouseEvent): Cell => [
    Math.min(rows[1], rows[0] + Math.floor(event.offsetY / size[1])),
    Math.min(columns[1], columns[0] + Math.floor(event.offsetX / size[0])),
  ];
  const value = pointed && blocks.element(...pointed);
  const partial = rows[1] - rows[0] + 1 < shown.rows_total || columns[1] - columns[0] + 1 < shown.columns_total;
  return (
    <figure class="heat">
      <div ref={box} class="heat-box">
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Heat map of ${shown.slice}; the table below holds the same elements`}
          title={pointed ? `${label(pointed)}: ${typeof value === 'number' ? exact(value) : String(value ?? '…')}` : ''}
          onMouseMove={(event) => setPointed(cellAt(event))}
          onMouseLeave={() => setPointed(undefined)}
          onClick={(event) => onCell(cellAt(event))}
        />
      </div>
      <figcaption class="heat-legend">
        <span title={exact(shown.min)}>{short(shown.min)}</span>
        <span class={scale.around ? 'heat-scale heat-around' : 'heat-scale'} aria-hidden="true" />
        <span title={exact(shown.max)}>{short(shown.max)}</span>
        {(Object.keys(SIGNS) as Bad[]).map((kind) => (
          <span key={kind} class={`heat-sign heat-${kind}`}>
            {SIGNS[kind]} {kind === 'nan' ? 'NaN' : kind === 'pos-inf' ? 'inf' : '-inf'}
          </span>
        ))}
        {partial ? (
          <span class="heat-part">
            rows {count(rows[0])}–{count(rows[1])}, columns {count(columns[0])}–{count(columns[1])}; it follows the
            table
          </span>
        ) : null}
      </figcaption>
    </figure>
  );
}
