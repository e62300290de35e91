/** One chart of a tensor's history, drawn by uPlot. */
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { onThemeChange, readColours } from '../../parts/colours';
import { type Chart, COLOURS, columnsOf, heightOf, optionsOf, type Span } from './charts';
import type { History } from './history';

interface HistoryChartProps {
  readonly chart: Chart;
  readonly history: History;
  readonly logarithmic: boolean;
  readonly chosen: number | undefined;
  /** Lines that are not drawn. */
  readonly hidden: ReadonlySet<number>;
  /** Index of the point that the cursor is at. */
  readonly at: number | undefined;
  /** The steps that are shown; undefined for all. */
  readonly span: Span | undefined;
  readonly onSpan: (span: Span | undefined) => void;
  readonly onPoint: (index: number | undefined) => void;
  readonly onChoose: (index: number) => void;
}

export function HistoryChart(props: HistoryChartProps) {
  const { chart, history, logarithmic, chosen, hidden, at, span } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const now = useRef(props);
  now.current = props;
  const [width, setWidth] = useState(0);
  const [theme, setTheme] = useState(0);

  useEffect(() => onThemeChange(() => setTheme((count) => count + 1)), []);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const drawn = width > 0;
  useEffect(() => {
    const element = box.current;
    if (!element || !drawn) return undefined;
    const colours = readColours(element, COLOURS);
    const options = optionsOf(chart, {
      history,
      colours,
      logarithmic,
      width: element.clientWidth,
      chosen,
      hidden,
      span,
    });
    const made = new uPlot(options, columnsOf(chart, history), element);
    made.over.addEventListener('mousemove', () => now.current.onPoint(made.cursor.idx ?? undefined));
    made.over.addEventListener('mouseleave', () => now.current.onPoint(undefined));
    let pressed = 0;
    made.over.addEventListener('mousedown', (event) => {
      pressed = event.clientX;
    });
    made.over.addEventListener('mouseup', (event) => {
      if (Math.abs(event.clientX - pressed) < 3) return;
      const box = made.over.getBoundingClientRect();
      const ends = [pressed, event.clientX].map((x) => made.posToVal(x - box.left, 'x')).sort((a, b) => a - b);
      now.current.onSpan([ends[0] ?? 0, ends[1] ?? 0]);
    });
    made.over.addEventListener('dblclick', () => now.current.onSpan(undefined));
    // A drag chooses a range to look at, a click an event.
    made.over.addEventListener('click', (event) => {
      const index = made.cursor.idx;
      if (typeof index === 'number' && Math.abs(event.clientX - pressed) < 3) now.current.onChoose(index);
    });
    plot.current = made;
    return () => {
      plot.current = undefined;
      made.destroy();
    };
  }, [chart, history, logarithmic, chosen, hidden, span, theme, drawn]);
  useEffect(() => {
    if (width) plot.current?.setSize({ width, height: heightOf(chart) });
  }, [width, chart]);
  useEffect(() => {
    const [drawing, x] = [plot.current, at === undefined ? undefined : history.x[at]];
    if (!drawing || x === undefined || drawing.cursor.idx === at) return;
    drawing.setCursor({ left: drawing.valToPos(x, 'x'), top: drawing.height / 4 }, false);
  }, [at, history]);

  return <div ref={box} class="chart" aria-hidden="true" />;
}
