/** How a run went as a whole: the loss, its layers over the steps, what the warnings say, and what is worth a look. */
import { useRef, useState } from 'preact/hooks';
import { answers } from '../../api/current';
import type { ProgressView } from '../../api/types';
import { Move } from '../../parts/move';
import { count, counted } from '../../parts/numbers';
import { Nothing, Panel } from '../../parts/panel';
import { useRoom } from '../../parts/scroll/use-room';
import { placeOf } from '../../state/choose';
import { findings, go, overview, place, where } from '../../state/store';
import { useAnswer } from '../../state/use-answer';
import { MEASURES } from './measures';
import { ProgressLines } from './progress-lines';
import { ProgressMap } from './progress-map';
import './progress.css';

/** Columns of the answer: one for about ten pixels. */
const PIXELS = 10;
const MOST = 150;

export function ProgressPanel() {
  const box = useRef<HTMLDivElement>(null);
  const room = useRoom(box);
  const [measure, setMeasure] = useState('');
  const width = Math.min(MOST, Math.ceil(room.width / PIXELS / 10) * 10);
  const { answer, problem, busy } = useAnswer(
    width ? (signal) => answers.progress(where.peek(), measure, width, signal) : undefined,
    [where.value, overview.value?.processes, measure, width],
  );
  return (
    <Panel name="progress" title="Overview" problem={problem} busy={busy} head={<Extent progress={answer} />}>
      <div ref={box} class="progress">
        <Verdict />
        {answer?.sights.length ? <Sights progress={answer} onMeasure={setMeasure} /> : null}
        {answer?.lines.length ? <ProgressLines lines={answer.lines} /> : null}
        {answer ? <Measures progress={answer} onMeasure={setMeasure} /> : null}
        {answer?.rows.length ? <ProgressMap progress={answer} /> : null}
        {answer && !answer.measures.length ? <Nothing>No tensors of numbers were recorded.</Nothing> : null}
        {answer || problem ? null : <Nothing>Looking at all steps…</Nothing>}
      </div>
    </Panel>
  );
}

function Extent({ progress }: { readonly progress: ProgressView | undefined }) {
  const first = progress?.starts[0];
  if (!progress || first === undefined) return null;
  return (
    <span class="muted">
      steps {count(first)} to {count(progress.last_step)}
    </span>
  );
}

/** What was found, and the warnings with the way to each. */
function Verdict() {
  const found = findings.value;
  if (!found) return null;
  const told = found.findings.filter(({ level }) => level === 'trouble' || level === 'warning');
  return (
    <section class="progress-verdict" aria-label="Verdict">
      <p>
        <span aria-hidden="true">{told.length ? '▲' : '✓'}</span> {found.summary}
        {told.length ? '' : ' No warnings.'}
      </p>
      {told.length ? (
        <ul>
          {told.map((finding) => (
            <li key={finding.number}>
              <Move to={{ ...placeOf(finding, overview.value, place.value), view: 'details' }}>{finding.title}</Move>{' '}
              <span class="muted">{finding.explanation}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

interface ProgressProps {
  readonly progress: ProgressView;
  readonly onMeasure: (measure: string) => void;
}

function Sights({ progress, onMeasure }: ProgressProps) {
  return (
    <section class="progress-sights" aria-label="Worth a look">
      <h3>Worth a look</h3>
      <ul>
        {progress.sights.map(({ text, event, measure }) => (
          <li key={text}>
            <Move to={{ event, tab: 'tensor', view: 'details' }}>{text}</Move>
            {measure && measure !== progress.measure ? (
              <button type="button" onClick={() => onMeasure(measure)}>
                show all {MEASURES[measure]?.title.toLowerCase()}
              </button>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Measures({ progress, onMeasure }: ProgressProps) {
  return (
    <header class="progress-measures">
      <h3>{MEASURES[progress.measure]?.about}</h3>
      <div role="group" aria-label="What the map shows">
        {progress.measures.map((name) => (
          <button key={name} type="button" aria-pressed={name === progress.measure} onClick={() => onMeasure(name)}>
            {MEASURES[name]?.title ?? name}
          </button>
        ))}
      </div>
      {progress.left_out ? <span class="muted">{counted(progress.left_out, 'smaller row')} left out</span> : null}
      <button type="button" class="progress-leave" onClick={() => go({ view: 'details' })} title="All tensors (o)">
        All tensors
      </button>
    </header>
  );
}
