/** The function as a whole: what its boxes are, open down to the chosen operation. */

import { useMemo } from 'preact/hooks';
import { answers } from '../../../api/current';
import type { WholeView } from '../../../api/types';
import { count, counted } from '../../../parts/numbers';
import { go, live, place, where } from '../../../state/store';
import { useAnswer } from '../../../state/use-answer';
import { GraphHead } from '../graph-head';
import { OperationInfo } from '../operation-info';
import { wantedBoxes } from './act';
import { GraphSearch } from './graph-search';
import { SECONDARY, type Secondary, secondaryCounts, withoutSecondary } from './secondary';
import { WholeDrawing } from './whole-drawing';
import { WholeList } from './whole-list';
import './whole.css';

interface WholePanelProps {
  readonly form: 'drawing' | 'list';
  readonly setForm: (form: 'drawing' | 'list') => void;
}

export function WholePanel({ form, setForm }: WholePanelProps) {
  const { event, boxes, function: functionName, operation, secondary } = place.value;
  const asked = where.value;
  const { answer, problem, busy } = useAnswer(
    (signal) => answers.whole(asked, { event, function: functionName, ...wantedBoxes(boxes) }, signal),
    [asked, event, functionName, boxes.join('\n'), live.value?.running === false],
  );
  const shown = useMemo(
    () => answer && withoutSecondary(answer, secondary, [answer.centre, operation]),
    [answer, secondary.join(), operation],
  );
  const looked = answer?.nodes.find((node) => node.node === operation);
  return (
    <section class="graph" aria-label="Graph" aria-busy={busy ? 'true' : 'false'}>
      <GraphHead form={form} setForm={setForm}>
        {answer ? <Extent view={answer} /> : null}
        {answer ? <SecondarySwitches view={answer} /> : null}
        {answer ? <GraphSearch /> : null}
      </GraphHead>
      {problem ? (
        <p class="panel-problem" role="alert">
          {problem}
        </p>
      ) : null}
      {answer?.unopened ? (
        <p class="graph-left" role="status">
          {counted(answer.unopened, 'box', 'boxes')} more stay closed: what is open is all that can be drawn. Close
          some.
        </p>
      ) : null}
      {answer?.left_out ? (
        <p class="graph-left" role="status">
          This saved page does not hold the inside of {counted(answer.left_out, 'box', 'boxes')}; open the trace with{' '}
          <code>tdbg view</code> to see it.
        </p>
      ) : null}
      {shown && form === 'drawing' ? <WholeDrawing key={shown.function ?? shown.name} view={shown} /> : null}
      {shown && form === 'list' ? <WholeList view={shown} /> : null}
      {looked && looked.event === null ? <OperationInfo node={looked} /> : null}
    </section>
  );
}

function Extent({ view }: { readonly view: WholeView }) {
  const bad = view.bad ? `, ${count(view.bad)} not finite` : '';
  return (
    <>
      <Functions view={view} />
      <span class="graph-extent">
        {counted(view.operations, 'operation')}
        {bad}
      </span>
    </>
  );
}

const SECONDARY_WORDS: Readonly<Record<Secondary, string>> = { backward: 'Backward pass', constant: 'Constants' };

/** Shows what is secondary, or leaves it out. */
function SecondarySwitches({ view }: { readonly view: WholeView }) {
  const counts = secondaryCounts(view);
  const wanted = place.value.secondary;
  const toggle = (kind: Secondary): void =>
    go({ secondary: wanted.includes(kind) ? wanted.filter((each) => each !== kind) : [...wanted, kind] }, 'replace');
  const there = SECONDARY.filter((kind) => counts[kind]);
  if (!there.length) return null;
  return (
    <span class="graph-forms">
      {there.map((kind) => (
        <button
          key={kind}
          type="button"
          aria-pressed={wanted.includes(kind)}
          title={`${counted(counts[kind], 'operation')}, shown when asked for`}
          onClick={() => toggle(kind)}
        >
          {SECONDARY_WORDS[kind]}
        </button>
      ))}
    </span>
  );
}

/** The function that is shown, and the others that the program called. */
function Functions({ view }: { readonly view: WholeView }) {
  const known = view.functions.some((each) => each.function === view.function);
  if (view.functions.length === (known ? 1 : 0)) return <span class="mono">{view.name}</span>;
  return (
    <select
      class="whole-functions mono"
      aria-label="Function"
      value={String(view.function)}
      onChange={(event) => go({ function: event.currentTarget.value, boxes: [], operation: '' })}
    >
      {known ? null : <option value={String(view.function)}>{view.name}</option>}
      {view.functions.map((each) => (
        <option key={each.function} value={String(each.function)} title={each.signature}>
          {each.name}
          {view.functions.filter(({ name }) => name === each.name).length > 1 ? ` ${each.signature}` : ''}
        </option>
      ))}
    </select>
  );
}
