/** The elements of the chosen tensor, where they were kept. */
import { useEffect, useState } from 'preact/hooks';
import { answers } from '../../api/current';
import type { EventView } from '../../api/types';
import { Nothing } from '../../parts/panel';
import { chosen, place, where } from '../../state/store';
import { sliceAt } from '../event/slice-at';
import { ValueBlocks } from './blocks';
import { SliceField } from './slice-field';
import './values.css';
import { ValuesView } from './values-view';

export function ValuesPanel() {
  const wanted = place.value.event;
  const view = chosen.value?.row.event === wanted ? chosen.value : undefined;
  return (
    <section class="panel panel-values" aria-label="Values" aria-busy={wanted !== undefined && !view}>
      {view ? (
        <Values key={view.row.event} view={view} />
      ) : (
        <Nothing>
          {wanted === undefined ? 'Choose an event to see its elements.' : `Event ${wanted} is on its way…`}
        </Nothing>
      )}
    </section>
  );
}

function Values({ view }: { readonly view: EventView }) {
  if (!view.row.kept) return <NotKept tensor={view.row.tensor} />;
  return <Kept view={view} />;
}

function NotKept({ tensor }: { readonly tensor: string }) {
  return (
    <div class="nothing">
      <p>
        The elements of <code>{tensor}</code> were not kept in this event, only their health.
      </p>
      <p>To keep them, record again with</p>
      <pre>
        <code>tdbg run --detail values train.py</code>
      </pre>
      <p>
        or <code>tensordbg.record(detail="values")</code>. For less to write, name what you want, such as{' '}
        <code>--values-op-type Log --values-steps 3..5</code>; <code>--values-budget</code> says how much may be kept.
      </p>
    </div>
  );
}

function Kept({ view }: { readonly view: EventView }) {
  const { event } = view.row;
  const bad = view.first_bad_index ?? undefined;
  const whose = where.value;
  // A slice that nobody chose shows the first bad element.
  const slice = place.value.slice || (bad ? sliceAt(bad) : '');
  const [blocks, setBlocks] = useState<ValueBlocks>();
  const [asked, setAsked] = useState<ValueBlocks>();

  useEffect(() => {
    const made = new ValueBlocks((rowOffset, columnOffset, size, signal) =>
      answers.values(whose, event, { slice, rowOffset, columnOffset, rows: size, columns: size }, signal),
    );
    setAsked(made);
    const stop = made.view.subscribe((first) => {
      if (first) setBlocks(made);
    });
    made.want([0, 0], [0, 0]);
    return () => {
      stop();
      made.close();
    };
  }, [whose, event, slice]);

  const problem = asked?.problem.value;
  const shown = blocks?.view.value;
  return (
    <>
      <SliceField slice={slice} shown={shown} problem={problem ?? ''} bad={bad} />
      {problem ? (
        <p id="slice-problem" class="panel-problem" role="alert">
          {problem}
        </p>
      ) : null}
      {blocks && shown ? <ValuesView key={shown.slice} blocks={blocks} shown={shown} bad={bad} /> : null}
    </>
  );
}
