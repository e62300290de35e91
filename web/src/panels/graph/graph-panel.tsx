/** The graph: the whole function, or the neighbourhood of the chosen operation, inputs above and consumers below. */
import { useMemo, useState } from 'preact/hooks';
import { answers } from '../../api/current';
import { count, counted } from '../../parts/numbers';
import { Nothing } from '../../parts/panel';
import { go, live, place, where } from '../../state/store';
import { useAnswer } from '../../state/use-answer';
import { GraphDrawing } from './graph-drawing';
import { GraphHead, large } from './graph-head';
import { GraphList } from './graph-list';
import { placed } from './layout';
import { loadGraph } from './load';
import { joined, limited, type Neighbourhood } from './neighbourhood';
import { OperationInfo } from './operation-info';
import { WholePanel } from './whole/whole-panel';
import './graph.css';

const MOST_HOPS = 6;

type Form = 'drawing' | 'list';

interface FormProps {
  readonly form: Form;
  readonly setForm: (form: Form) => void;
}

export function GraphPanel() {
  const [form, setForm] = useState<Form>('drawing');
  const Shown = place.value.graph === 'whole' ? WholePanel : AroundPanel;
  const leave = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') large.value = false;
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape leaves from wherever in it one is.
    <div class={large.value ? 'graph-room graph-large' : 'graph-room'} onKeyDown={leave}>
      <Shown form={form} setForm={setForm} />
    </div>
  );
}

function AroundPanel({ form, setForm }: FormProps) {
  const { event, hops, opened, operation } = place.value;
  const asked = where.value;
  const { answer, problem, busy } = useAnswer(
    event === undefined ? undefined : (signal) => loadGraph(answers, asked, { event, hops, opened }, signal),
    [asked, event, hops, opened.join('\n'), live.value?.running === false],
  );
  const shown = useMemo(() => {
    const all = answer && joined(answer);
    return all && limited(all);
  }, [answer]);
  const drawing = useMemo(() => shown && placed(shown), [shown]);
  const base = answer?.[0];
  const looked = shown?.nodes.find((node) => node.node === operation);
  return (
    <section class="graph" aria-label="Graph" aria-busy={busy ? 'true' : 'false'}>
      <GraphHead form={form} setForm={setForm}>
        <Hops hops={hops} />
        {base && shown ? (
          <span class="graph-extent" title={base.function}>
            {count(shown.nodes.length)} of {counted(base.operations, 'operation')} of{' '}
            <span class="mono">{base.function}</span>
          </span>
        ) : null}
      </GraphHead>
      {event === undefined ? (
        <Nothing>Choose a tensor event to see what its operation was computed from, and what took its result.</Nothing>
      ) : null}
      {problem ? (
        <p class="panel-problem" role="alert">
          {problem}
        </p>
      ) : null}
      {shown?.left ? <Left shown={shown} /> : null}
      {shown && drawing && form === 'drawing' ? <GraphDrawing drawing={drawing} shown={shown} /> : null}
      {shown && form === 'list' ? <GraphList shown={shown} /> : null}
      {looked ? <OperationInfo node={looked} /> : null}
    </section>
  );
}

function Left({ shown }: { readonly shown: Neighbourhood }) {
  return (
    <p class="graph-left" role="status">
      The {count(shown.nodes.length)} nearest operations are shown; {count(shown.left)} more are as few steps away, but
      too many to be read. Show fewer steps, or open them one by one with the numbers at a node.
    </p>
  );
}

function Hops({ hops }: { readonly hops: number }) {
  return (
    <span class="graph-hops">
      <button
        type="button"
        aria-label="Fewer steps"
        title="Fewer steps from the chosen operation"
        disabled={hops <= 1}
        onClick={() => go({ hops: hops - 1 }, 'replace')}
      >
        −
      </button>
      <span>{counted(hops, 'step')}</span>
      <button
        type="button"
        aria-label="More steps"
        title="More steps from the chosen operation"
        disabled={hops >= MOST_HOPS}
        onClick={() => go({ hops: hops + 1 }, 'replace')}
      >
        +
      </button>
    </span>
  );
}
