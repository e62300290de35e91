/** The history of the chosen tensor over steps and iterations of its loop. */
import { useMemo, useState } from 'preact/hooks';
import { answers } from '../../api/current';
import type { HistogramsView, TensorView } from '../../api/types';
import { Nothing } from '../../parts/panel';
import { chosen, go, live, place, where } from '../../state/store';
import { useAnswer } from '../../state/use-answer';
import { read, together, toggleBeside, written } from './beside';
import { CHARTS, type Span } from './charts';
import { halfWords, histogramChart } from './histogram';
import { type History, type Point, summary, words } from './history';
import { HistoryChart } from './history-chart';
import { HistoryTable } from './history-table';
import './tensor.css';

/** About one point for each pixel of a wide chart. */
const POINTS = 1500;

export function TensorPanel() {
  const row = chosen.value?.row;
  const [tensor, name] = [row?.tensor, row?.function ?? ''];
  const { answer, problem, busy } = useAnswer(
    tensor === undefined ? undefined : (signal) => answers.tensor(where.peek(), tensor, name, POINTS, signal),
    [tensor, name, where.value],
    live.value?.revision,
  );
  const view = answer?.tensor === tensor && answer?.function === name ? answer : undefined;
  const others = useOthers(tensor === undefined ? '' : written({ tensor, name }));
  return (
    <section class="panel panel-tensor" aria-label="History" aria-busy={busy}>
      {problem ? (
        <p class="panel-problem" role="alert">
          {problem}
        </p>
      ) : null}
      <div class="panel-body">
        {view ? <TensorHistory view={view} others={others} /> : <Waiting problem={problem} />}
      </div>
    </section>
  );
}

/** The histories of the tensors beside the chosen one. */
function useOthers(own: string): readonly TensorView[] {
  const wanted = place.value.beside.filter((each) => each !== own);
  const { answer } = useAnswer(
    wanted.length
      ? (signal) =>
          Promise.all(
            wanted.map(read).map(({ tensor, name }) => answers.tensor(where.peek(), tensor, name, POINTS, signal)),
          )
      : undefined,
    [wanted.join('\n'), where.value],
    live.value?.revision,
  );
  return wanted.length ? (answer ?? []) : [];
}

/** The histograms of the chosen tensor; undefined where no elements were kept, or a saved page does not hold them. */
function useHistograms(view: TensorView, logarithmic: boolean): HistogramsView | undefined {
  const { tensor, function: name } = view;
  const { answer } = useAnswer(
    view.points.some(({ kept }) => kept)
      ? (signal) => answers.histograms(where.peek(), tensor, name, logarithmic, signal)
      : undefined,
    [tensor, name, where.value, logarithmic, view.points.some(({ kept }) => kept)],
    live.value?.revision,
  );
  return answer?.tensor === tensor && answer.function === name ? answer : undefined;
}

/** A point in words, with where half of its elements lie if they were kept. */
function told(point: Point, history: History, histograms: HistogramsView | undefined): string {
  const own = histograms?.histograms.find(({ event }) => event === point.event);
  const half = own && histograms ? halfWords(own, histograms.edges) : '';
  return [words(point, history.lines), half].filter(Boolean).join('; ');
}

function Waiting({ problem }: { readonly problem: string }) {
  if (place.value.event === undefined) {
    return <Nothing>Choose an event to see its tensor over the steps of the program.</Nothing>;
  }
  return problem ? null : <Nothing>The history is on its way…</Nothing>;
}

interface TensorHistoryProps {
  readonly view: TensorView;
  readonly others: readonly TensorView[];
}

function TensorHistory({ view, others }: TensorHistoryProps) {
  const history = useMemo(() => together([view, ...others]), [view, others]);
  const [span, setSpan] = useState<Span>();
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const [at, setAt] = useState<number>();
  const [logarithmic, setLogarithmic] = useState(false);
  const { event } = place.value;
  const mine = history.points.findIndex((point) => point.event === event);
  const point = history.points[at ?? mine];
  const histograms = useHistograms(view, logarithmic);
  const caller = view.callers[view.points.find((each) => each.event === event)?.caller ?? 0] ?? '';
  const charts = useMemo(() => {
    const spread = histograms && histogramChart(histograms, history, caller);
    const [first, ...rest] = CHARTS;
    return first && spread ? [first, spread, ...rest] : CHARTS;
  }, [histograms, history, caller]);

  const choose = (index: number): void => {
    const wanted = history.points[index];
    if (wanted) go({ event: wanted.event });
  };
  const press = (key: KeyboardEvent): void => {
    const now = at ?? Math.max(0, mine);
    const last = history.points.length - 1;
    const to: Readonly<Record<string, number>> = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last };
    const next = to[key.key];
    if (key.key === 'Enter') choose(now);
    else if (next !== undefined) setAt(Math.min(Math.max(0, next), last));
    else return;
    key.preventDefault();
  };

  return (
    <div class="history">
      <header class="history-head">
        <h3 title={view.function ? `${view.tensor} in ${view.function}()` : view.tensor}>{view.tensor}</h3>
        <button
          type="button"
          aria-pressed={place.value.beside.includes(written({ tensor: view.tensor, name: view.function }))}
          title="Keep it in the chart while you choose others, which are drawn beside it"
          onClick={() => toggleBeside({ tensor: view.tensor, name: view.function })}
        >
          Keep
        </button>
        {span ? (
          <button type="button" title="Show all steps; so does a double click" onClick={() => setSpan(undefined)}>
            All steps
          </button>
        ) : null}
        <label>
          <input
            type="checkbox"
            checked={logarithmic}
            onChange={(changed) => setLogarithmic(changed.currentTarget.checked)}
          />
          Logarithmic
        </label>
      </header>
      <p class="history-summary">{summary(view)}</p>
      <output class="history-point">
        {point ? told(point, history, histograms) : 'Point at a chart to see its numbers; a click chooses the event.'}
      </output>
      <div
        class="charts"
        role="slider"
        tabIndex={0}
        aria-label={`History of ${view.tensor}; Enter chooses the event`}
        aria-valuemin={0}
        aria-valuemax={history.points.length - 1}
        aria-valuenow={at ?? Math.max(0, mine)}
        aria-valuetext={point ? told(point, history, histograms) : undefined}
        onKeyDown={press}
      >
        {charts.map((chart) => (
          <figure key={chart.name}>
            <figcaption>{history.lines.length > 1 ? chart.foremostTitle : chart.title}</figcaption>
            <HistoryChart
              chart={chart}
              history={history}
              logarithmic={logarithmic}
              chosen={history.x[mine]}
              span={span}
              onSpan={setSpan}
              hidden={hidden}
              at={at}
              onPoint={setAt}
              onChoose={choose}
            />
          </figure>
        ))}
        <p class="history-axis">
          step{history.points.some((each) => each.iteration !== null) ? ', with the iterations of its loop' : ''}
        </p>
      </div>
      <Legend lines={history.lines} hidden={hidden} onHide={setHidden} />
      <Kept own={written({ tensor: view.tensor, name: view.function })} />
      <HistoryTable history={history} />
    </div>
  );
}

/** The other tensors that are kept in the chart, each with a way to take it out. */
function Kept({ own }: { readonly own: string }) {
  const others = place.value.beside.filter((each) => each !== own);
  if (!others.length) return null;
  return (
    <p class="history-kept">
      Beside it:{' '}
      {others.map((each) => (
        <span key={each} class="mono">
          {read(each).tensor}{' '}
          <button type="button" aria-label={`Take ${read(each).tensor} out`} onClick={() => toggleBeside(read(each))}>
            ×
          </button>{' '}
        </span>
      ))}
    </p>
  );
}

interface LegendProps {
  readonly lines: readonly string[];
  readonly hidden: ReadonlySet<number>;
  readonly onHide: (hidden: ReadonlySet<number>) => void;
}

/** What the lines are; of several each is shown or hidden by a click. */
function Legend({ lines, hidden, onHide }: LegendProps) {
  if (lines.length < 2) {
    return (
      <ul class="history-legend" aria-label="Lines of the charts">
        <li class="legend-max">max</li>
        <li class="legend-mean">mean</li>
        <li class="legend-min">min</li>
        <li class="legend-area legend-negative">negative</li>
        <li class="legend-area legend-zero">zero</li>
        <li class="legend-area legend-positive">positive</li>
        <li class="legend-bad">✕ not finite</li>
      </ul>
    );
  }
  const toggle = (line: number): void => {
    const next = new Set(hidden);
    if (!next.delete(line)) next.add(line);
    onHide(next);
  };
  return (
    <ul class="history-legend" aria-label="Lines of the charts">
      {lines.map((name, line) => (
        <li key={name} class="legend-line" style={{ '--own': `var(--line-${line % 9})` }}>
          <button type="button" aria-pressed={!hidden.has(line)} title="Show or hide" onClick={() => toggle(line)}>
            {name}
          </button>
        </li>
      ))}
      <li class="legend-bad">✕ not finite</li>
    </ul>
  );
}
