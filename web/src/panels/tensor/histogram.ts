/** The histograms of a tensor, one upright strip for each event whose elements were kept: the darker, the more elements. */
import type uPlot from 'uplot';
import type { HistogramsView } from '../../api/types';
import { count, counted, short } from '../../parts/numbers';
import type { Chart, Colours } from './charts';
import { type History, whereOf } from './history';
import { logScale } from './scales';

export type Histogram = HistogramsView['histograms'][number];

/** Pixels of a strip, which is as wide as there is room between two steps. */
const [NARROW, WIDE] = [2, 28];

/** A chart of those that belong to one line of the history; undefined where there is nothing to draw. */
export function histogramChart(view: HistogramsView, history: History, caller: string): Chart | undefined {
  const own = view.histograms.filter((each) => view.callers[each.caller] === caller);
  const filled = own.filter((each) => each.counts.some(Boolean));
  const [low, high] = [view.edges[0], view.edges.at(-1)];
  if (!filled.length || low === undefined || high === undefined) return undefined;
  const whose = history.lines.length > 1 ? ` of ${view.tensor}${caller && ` in ${caller}`}` : '';
  const title = `Histogram${whose}, the darker the more elements; ${extent(view)}`;
  return {
    name: 'histogram',
    title,
    foremostTitle: title,
    height: 150,
    series: ['mean'],
    foremost: 'mean',
    options: (_, colours, logarithmic) => ({
      series: [{}, { label: 'mean', stroke: colours.text, width: 1, points: { show: false } }],
      scales: { y: { ...(logarithmic ? logScale(scaleOf(view.edges)) : {}), range: () => roomFor(low, high) } },
    }),
    ground: (plot, colours) => drawStrips(plot, filled, view.edges, history.iterations, colours),
  };
}

/** Of how many events they are; of the others nothing is known but what the other charts show. */
function extent({ histograms, kept }: HistogramsView): string {
  if (histograms.length < kept) return `of ${count(histograms.length)} of the ${count(kept)} events with elements kept`;
  return `of ${counted(kept, 'event')} with elements kept`;
}

function scaleOf(edges: readonly number[]): { min: (number | null)[]; smallest: number } {
  const sizes = edges.filter(Boolean).map(Math.abs);
  return { min: [edges[0] ?? null], smallest: Math.min(...sizes) };
}

/** The ends of the upright axis; one number alone stands in the middle. */
function roomFor(low: number, high: number): [number, number] {
  if (high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high))) return [low, high];
  const room = Math.abs(low) / 2 || 0.5;
  return [low - room, high + room];
}

function drawStrips(
  plot: uPlot,
  drawn: readonly Histogram[],
  edges: readonly number[],
  iterations: readonly number[],
  colours: Colours,
): void {
  const { ctx, bbox } = plot;
  const ratio = window.devicePixelRatio || 1;
  const places = drawn.map((each) => plot.valToPos(whereOf(each, iterations), 'x', true));
  const gaps = places.slice(1).map((place, index) => place - (places[index] ?? 0));
  const width = Math.min(WIDE * ratio, Math.max(NARROW * ratio, Math.min(...gaps) - ratio));
  const borders = edges.map((edge) => plot.valToPos(edge, 'y', true));
  const most = Math.max(...drawn.flatMap((each) => shares(each.counts)));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colours.accent;
  drawn.forEach((each, index) => {
    shares(each.counts).forEach((share, bin) => {
      if (!share) return;
      const [bottom = 0, top = 0] = [borders[bin], borders[bin + 1]];
      // A root brings out the few elements far away from all others.
      ctx.globalAlpha = 0.1 + 0.85 * Math.cbrt(share / most);
      ctx.fillRect((places[index] ?? 0) - width / 2, top, width, Math.max(ratio, bottom - top));
    });
  });
  ctx.restore();
}

function shares(counts: readonly number[]): readonly number[] {
  const all = counts.reduce((sum, each) => sum + each, 0);
  return counts.map((each) => each / all);
}

/** Where the middle half of the elements lies, as exactly as the bins tell: `half of them between -0.5 and 0.25`. */
export function halfWords({ counts }: Pick<Histogram, 'counts'>, edges: readonly number[]): string {
  const all = counts.reduce((sum, each) => sum + each, 0);
  if (!all) return '';
  const after = (share: number): number => {
    let passed = 0;
    return counts.findIndex((each) => {
      passed += each;
      return passed >= share * all;
    });
  };
  return `half of them between ${short(edges[after(0.25)])} and ${short(edges[after(0.75) + 1])}`;
}
