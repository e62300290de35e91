/** What the charts of a tensor's history show: their series, axes, and the marks of what is not finite. */
import uPlot from 'uplot';
import { percent, short } from '../../parts/numbers';
import type { ColumnName, History } from './history';
import { badPoints, ofLine } from './history';
import { SHARE_SCALE, valueScale } from './scales';

const LINES = ['line-0', 'line-1', 'line-2', 'line-3', 'line-4', 'line-5', 'line-6', 'line-7', 'line-8'] as const;
export const COLOURS = [
  'text',
  'muted',
  'line',
  'accent',
  'positive',
  'negative',
  'zero',
  'bad',
  'warn',
  ...LINES,
] as const;
export type Colours = Readonly<Record<(typeof COLOURS)[number], string>>;

/** One chart below the other; their cursors go together. */
export interface Chart {
  readonly name: string;
  readonly title: string;
  /** Where there are several lines. */
  readonly foremostTitle: string;
  /** In a window of the usual height, in pixels. */
  readonly height: number;
  readonly series: readonly ColumnName[];
  /** The one that is drawn where there are several lines. */
  readonly foremost: ColumnName;
  options(history: History, colours: Colours, logarithmic: boolean): Pick<uPlot.Options, 'series' | 'scales' | 'bands'>;
  /** Drawn below the lines. */
  readonly ground?: (plot: uPlot, colours: Colours) => void;
}

const line = (label: string, stroke: string, more: Partial<uPlot.Series> = {}): uPlot.Series => ({
  label,
  stroke,
  width: 1.5,
  points: { size: 4 },
  spanGaps: false,
  ...more,
});

/** Only the edge of an area. */
const border = (label: string): uPlot.Series => line(label, '', { width: 0, points: { show: false } });

const values: Chart = {
  name: 'values',
  title: 'Least, mean ± std and largest finite element',
  foremostTitle: 'Mean of the finite elements',
  height: 150,
  series: ['max', 'above', 'mean', 'below', 'min'],
  foremost: 'mean',
  options: (history, colours, logarithmic) => ({
    series: [
      {},
      line('max', colours.positive, { dash: [6, 3] }),
      border('mean + std'),
      line('mean', colours.text, { width: 2 }),
      border('mean - std'),
      line('min', colours.negative, { dash: [2, 3] }),
    ],
    bands: [
      { series: [1, 5], fill: transparent(colours.positive) },
      { series: [2, 4], fill: transparent(colours.positive, 0.25) },
    ],
    scales: { y: valueScale(history, logarithmic) },
  }),
};

const spread: Chart = {
  name: 'std',
  title: 'Standard deviation',
  foremostTitle: 'Standard deviation',
  height: 80,
  series: ['std'],
  foremost: 'std',
  options: (history, colours, logarithmic) => ({
    series: [{}, line('std', colours.accent)],
    scales: { y: valueScale({ ...history, min: history.std }, logarithmic) },
  }),
};

/** What all elements are, one kind on top of the other. */
const shares: Chart = {
  name: 'shares',
  title: 'Shares of negative, zero, positive and not finite',
  foremostTitle: 'Share of NaN and infinities',
  height: 110,
  series: ['negative', 'upToZero', 'finite', 'all'],
  foremost: 'bad',
  options: (_, colours) => ({
    series: [
      {},
      line('negative', colours.negative, { width: 0, fill: transparent(colours.negative, 0.85) }),
      line('zero', colours.zero, { width: 0 }),
      line('positive', colours.positive, { width: 0 }),
      line('not finite', colours.bad, { width: 0 }),
    ],
    bands: [
      { series: [2, 1], fill: transparent(colours.zero, 0.85) },
      { series: [3, 2], fill: transparent(colours.positive, 0.85) },
      { series: [4, 3], fill: colours.bad },
    ],
    scales: { y: SHARE_SCALE },
  }),
};

export const CHARTS: readonly Chart[] = [values, spread, shares];

/** Its height in pixels: more in a high window. */
export function heightOf(chart: Chart): number {
  return Math.round(chart.height * Math.min(1.8, Math.max(1, window.innerHeight / 800)));
}

/** A chart's columns for uPlot. */
export function columnsOf(chart: Chart, history: History): uPlot.AlignedData {
  const several = history.lines.length > 1;
  const columns = several
    ? history.lines.map((_, line) => ofLine(history, chart.foremost, line))
    : chart.series.map((name) => history[name]);
  return [history.x, ...columns] as uPlot.AlignedData;
}

/** Of several lines one colour each, the same in all charts. */
function colouredLines(history: History, colours: Colours, hidden: ReadonlySet<number>): uPlot.Series[] {
  return history.lines.map((label, at) => ({
    ...line(label, colours[LINES[at % LINES.length] ?? 'line-0'], { width: 2 }),
    show: !hidden.has(at),
  }));
}

/** The steps that are looked at closer. */
export type Span = readonly [number, number];

/** All that uPlot needs; `chosen` is the x of the chosen event. */
export function optionsOf(
  chart: Chart,
  given: {
    history: History;
    colours: Colours;
    logarithmic: boolean;
    width: number;
    chosen: number | undefined;
    hidden: ReadonlySet<number>;
    span: Span | undefined;
  },
): uPlot.Options {
  const { history, colours, logarithmic, width, chosen, hidden, span } = given;
  const alone = chart.options(history, colours, logarithmic);
  const several = history.lines.length > 1;
  const own = several
    ? { series: [{}, ...colouredLines(history, colours, hidden)], scales: alone.scales ?? {} }
    : alone;
  const axis = { stroke: colours.muted, grid: { stroke: colours.line, width: 1 }, ticks: { stroke: colours.line } };
  const inPercent = chart.name === 'shares';
  const last = chart === CHARTS.at(-1);
  return {
    ...own,
    width,
    height: heightOf(chart),
    legend: { show: false },
    // The same for all charts, with labels below or without: their cursors stand below one another.
    padding: [10, 16, last ? 0 : 6, 0],
    scales: { x: { time: false, range: span ? () => [...span] : wider }, ...own.scales },
    // All charts show the same steps: what a drag marks is told, and comes back as `span`.
    cursor: { sync: { key: 'tensor-history' }, drag: { x: true, y: false, setScale: false } },
    axes: [
      {
        ...axis,
        show: last,
        size: 24,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6],
      },
      { ...axis, size: 64, values: (_, at) => at.map((each) => (inPercent ? percent(each, 1) : short(each))) },
    ],
    hooks: {
      drawAxes: [(plot) => chart.ground?.(plot, colours)],
      draw: [
        (plot) =>
          mark(plot, inPercent ? [] : badPoints(history).map((index) => history.x[index] ?? 0), colours, chosen),
      ],
    },
  };
}

/** The range of the steps; one step alone stands in the middle. */
function wider(_: uPlot, from: number | null, to: number | null): [number, number] {
  const [low, high] = [from ?? 0, to ?? 0];
  const margin = high > low ? (high - low) * 0.02 : 0.5;
  return [low - margin, high + margin];
}

/** Marks what is not finite by crosses at the top, and the chosen event by a line. */
function mark(plot: uPlot, bad: readonly number[], colours: Colours, chosen: number | undefined): void {
  const { ctx, bbox } = plot;
  const ratio = uPlot.pxRatio;
  ctx.save();
  // Of the line that was drawn last.
  ctx.setLineDash([]);
  if (chosen !== undefined) {
    const x = plot.valToPos(chosen, 'x', true);
    ctx.strokeStyle = colours.accent;
    ctx.lineWidth = 2 * ratio;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.strokeStyle = colours.bad;
  ctx.lineWidth = 1.5 * ratio;
  ctx.beginPath();
  const size = 3 * ratio;
  let last = Number.NEGATIVE_INFINITY;
  for (const each of bad) {
    const x = plot.valToPos(each, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width || x - last < size) continue;
    last = x;
    const y = bbox.top + size + ratio;
    ctx.moveTo(x - size, y - size);
    ctx.lineTo(x + size, y + size);
    ctx.moveTo(x - size, y + size);
    ctx.lineTo(x + size, y - size);
  }
  ctx.stroke();
  ctx.restore();
}

function transparent(colour: string, alpha = 0.15): string {
  return colour.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`);
}
