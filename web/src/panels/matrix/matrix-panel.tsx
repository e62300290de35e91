/** The processes of a run beside each other over its steps: how each fared, and how far it is from the others. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { answers } from '../../api/current';
import type { MatrixView } from '../../api/types';
import { count, counted } from '../../parts/numbers';
import { Nothing, Panel } from '../../parts/panel';
import { useRoom } from '../../parts/scroll/use-room';
import { go, overview, where } from '../../state/store';
import { useAnswer } from '../../state/use-answer';
import { MatrixMap } from './matrix-map';
import { SHOWN, STATES, standingOut } from './shades';
import './matrix.css';

/** Columns of the answer: one for about ten pixels. */
const PIXELS = 10;
const MOST = 150;

export function MatrixPanel() {
  const box = useRef<HTMLDivElement>(null);
  const room = useRoom(box);
  const [shown, setShown] = useState('health');
  const [sorted, setSorted] = useState(false);
  const measure = shown === 'health' ? '' : shown;
  const width = Math.min(MOST, Math.ceil(room.width / PIXELS / 10) * 10);
  const { answer, problem, busy } = useAnswer(
    width ? (signal) => answers.matrix(where.peek(), measure, width, signal) : undefined,
    [where.value.run, overview.value?.processes, measure, width],
  );
  const matrix = useMemo(() => (answer && sorted ? reordered(answer, standingOut(answer)) : answer), [answer, sorted]);
  // Until the answer on another measure comes, the picture stays what it was.
  const drawn = matrix && measure && matrix.measure !== measure ? 'health' : shown;
  return (
    <Panel name="matrix" title="Processes" problem={problem} busy={busy} head={<Extent matrix={answer} />}>
      <div ref={box} class="matrix">
        {matrix ? (
          <header class="matrix-head">
            <h3>{SHOWN[drawn]?.about}</h3>
            <Choice matrix={matrix} shown={shown} onShow={setShown} />
            <label>
              <input type="checkbox" checked={sorted} onChange={() => setSorted(!sorted)} /> What stands out first
            </label>
            {matrix.left_out ? (
              <span class="muted">{counted(matrix.left_out, 'process', 'processes')} like the others left out</span>
            ) : null}
            <button type="button" class="matrix-leave" onClick={() => go({ view: 'details' })} title="All tensors (w)">
              All tensors
            </button>
          </header>
        ) : null}
        {matrix && drawn === 'health' ? <Legend matrix={matrix} /> : null}
        {matrix?.starts.length ? <MatrixMap matrix={matrix} shown={drawn} /> : null}
        {matrix && !matrix.starts.length ? <Nothing>No tensors were recorded.</Nothing> : null}
        {matrix || problem ? null : <Nothing>Looking at all processes…</Nothing>}
      </div>
    </Panel>
  );
}

function reordered(matrix: MatrixView, order: readonly number[]): MatrixView {
  return { ...matrix, rows: order.flatMap((row) => matrix.rows[row] ?? []) };
}

function Extent({ matrix }: { readonly matrix: MatrixView | undefined }) {
  if (!matrix?.starts.length) return null;
  return (
    <span class="muted">
      {counted(matrix.rows.length + matrix.left_out, 'process', 'processes')}, steps 0 to {count(matrix.last_step)}
    </span>
  );
}

interface ChoiceProps {
  readonly matrix: MatrixView;
  readonly shown: string;
  readonly onShow: (shown: string) => void;
}

function Choice({ matrix, shown, onShow }: ChoiceProps) {
  return (
    <div role="group" aria-label="What the colours show">
      {['health', ...matrix.measures].map((name) => (
        <button key={name} type="button" aria-pressed={name === shown} onClick={() => onShow(name)}>
          {SHOWN[name]?.title ?? name}
        </button>
      ))}
    </div>
  );
}

/** The colours of the states that there are. */
function Legend({ matrix }: { readonly matrix: MatrixView }) {
  const there = new Set(matrix.rows.flatMap(({ states }) => states.map((state) => matrix.states[state] ?? '')));
  return (
    <ul class="matrix-legend" aria-label="Colours">
      {Object.entries(STATES).map(([state, { colour, share, words }]) =>
        there.has(state) ? (
          <li key={state}>
            <span class="matrix-swatch" aria-hidden="true">
              <span style={{ height: `${100 * (share ?? 1)}%`, background: `var(--${colour})` }} />
            </span>
            {words}
          </li>
        ) : null,
      )}
    </ul>
  );
}
