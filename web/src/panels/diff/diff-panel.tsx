/** Two runs side by side: where they part, how the error goes on from there, and both sides of whatever is chosen. */
import { answers } from '../../api/current';
import type { ComparisonView, PairView } from '../../api/types';
import { runWords } from '../../bar/run-words';
import { Nothing, Panel } from '../../parts/panel';
import { go, overview, place, where } from '../../state/store';
import { useAnswer } from '../../state/use-answer';
import { Both } from './both';
import { ErrorChart } from './error-chart';
import { PairList } from './pair-list';
import { chosenPair, ofStep } from './pairs';
import { Side } from './side';
import { StepBars } from './step-bars';
import './diff.css';

export function DiffPanel() {
  const { against, event } = place.value;
  const asked = where.value;
  const { answer, problem, busy } = useAnswer(
    against ? (signal) => answers.comparison(asked, against, signal) : undefined,
    [asked, against],
  );
  const pair = answer && chosenPair(answer, event);
  return (
    <Panel name="diff" title="Two runs" problem={problem} busy={busy} head={<Against />}>
      {!against ? <Nothing>Choose the run to compare this one with.</Nothing> : null}
      {answer && !problem ? (
        <div class="diff">
          <Finding comparison={answer} />
          {pair ? <Chosen key={against} comparison={answer} pair={pair} /> : null}
        </div>
      ) : null}
    </Panel>
  );
}

/** Which run is the reference. */
function Against() {
  const { answer } = useAnswer((signal) => answers.runs(signal), [overview.value?.run]);
  const { against, run } = place.value;
  const shown = run || overview.value?.run;
  const others = answer?.runs.filter((each) => each.run !== shown) ?? [];
  return (
    <label>
      compared with{' '}
      <select value={against} onChange={(event) => go({ against: event.currentTarget.value, event: undefined })}>
        <option value="">choose a run</option>
        {others.map((each) => (
          <option key={each.run} value={each.run} title={each.run}>
            {runWords(each, others)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Finding({ comparison }: { readonly comparison: ComparisonView }) {
  const { headline, sentences, totals, parameters } = comparison;
  return (
    <header class="diff-finding">
      <p>
        <strong>{headline}</strong>
      </p>
      {sentences.map((each) => (
        <p key={each}>{each}</p>
      ))}
      {parameters.length ? <p>parameters that differ: {parameters.map(({ a, b }) => a || b).join(', ')}</p> : null}
      <p class="muted">{totals}</p>
    </header>
  );
}

function Chosen({ comparison, pair }: { readonly comparison: ComparisonView; readonly pair: PairView }) {
  const pairs = ofStep(comparison, pair.step);
  const b = where.value;
  const a = { run: place.value.against, process: '' };
  const left = useAnswer((signal) => answers.event(a, pair.event_a, signal), [a.run, pair.event_a]);
  const right = useAnswer((signal) => answers.event(b, pair.event_b, signal), [b, pair.event_b]);
  return (
    <>
      <StepBars comparison={comparison} step={pair.step} />
      <ErrorChart pairs={pairs} chosen={pair} />
      <div class="diff-columns">
        <Side name="A, the reference" of={a} event={left.answer} problem={left.problem} />
        <Side name="B" of={b} event={right.answer} problem={right.problem} />
      </div>
      <div class="diff-columns">
        <Both a={left.answer} b={right.answer} />
        <PairList pairs={pairs} chosen={pair} />
      </div>
    </>
  );
}
