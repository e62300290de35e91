/** One of the two runs at the chosen pair: when it was computed, and the line that did it among those around it. */
import type { Where } from '../../api/answers';
import { answers } from '../../api/current';
import type { EventView, LineView } from '../../api/types';
import { fileName } from '../../parts/file-name';
import { Nothing } from '../../parts/panel';
import { START, writePlace } from '../../state/place';
import { useAnswer } from '../../state/use-answer';
import { TimeStrip } from './time-strip';

/** So many lines are shown before and behind. */
const AROUND = 6;

interface SideProps {
  readonly name: string;
  readonly of: Where;
  readonly event: EventView | undefined;
  readonly problem: string;
}

export function Side({ name, of, event, problem }: SideProps) {
  return (
    <section class="diff-side" aria-label={name}>
      <h3>
        {name} <span class="muted">{of.run}</span>
      </h3>
      <TimeStrip of={of} at={event?.time_ns} name={name} />
      {problem ? <Nothing>{problem}</Nothing> : null}
      {event ? (
        <p class="diff-tensor">
          <a href={writePlace({ ...START, ...of, view: 'details', event: event.row.event })}>{event.row.tensor}</a>{' '}
          <span class="muted">{[event.row.layer, event.row.op_type].filter(Boolean).join(', ')}</span>
        </p>
      ) : null}
      {event?.source ? <Lines of={of} line={event.source} /> : null}
    </section>
  );
}

function Lines({ of, line }: { readonly of: Where; readonly line: LineView }) {
  const { answer } = useAnswer((signal) => answers.source(of, line.file, signal), [of.run, of.process, line.file]);
  const text = answer?.file === line.file ? answer.text.split('\n') : undefined;
  const first = Math.max(1, line.line - AROUND);
  const shown = text ? text.slice(first - 1, line.line + AROUND) : [line.text];
  return (
    <figure class="diff-lines">
      <figcaption title={line.file}>
        {fileName(line.file)}:{line.line}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keys */}
      <pre tabIndex={0}>
        {shown.map((each, index) => {
          const number = text ? first + index : line.line;
          return (
            <span key={number} class={number === line.line ? 'diff-line diff-line-chosen' : 'diff-line'}>
              <span class="muted">{String(number).padStart(5)}</span> {each}
            </span>
          );
        })}
      </pre>
    </figure>
  );
}
