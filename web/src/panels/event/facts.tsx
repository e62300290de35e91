/** The rest that is known of an event: its operation, execution, device, time; most of it leads to a search. */
import type { ComponentChildren } from 'preact';
import type { EventView } from '../../api/types';
import { deviceName } from '../../parts/device-name';
import { iterationText } from '../../parts/iterations';
import { Move } from '../../parts/move';
import { quoted } from '../../parts/search-words';
import { attributesOf } from './attributes';

/** So many rows of a batch are named. */
const MOST_ROWS = 64;

export function Facts({ view }: { readonly view: EventView }) {
  const { row } = view;
  return (
    <section aria-label="Facts">
      <h4>Facts</h4>
      <dl class="event-facts">
        <Fact name="Operation">
          <Search for={`op:${quoted(row.op_type)}`}>{row.op_type}</Search>
          {view.op_name === row.op_type ? null : (
            <>
              {' '}
              <code>{view.op_name}</code>
            </>
          )}
          {view.outputs > 1 ? `, output ${view.slot} of ${view.outputs}` : ''}
        </Fact>
        {row.function ? (
          <Fact name="Function">
            <Search for={`function:${quoted(row.function)}`}>{row.function_title}</Search>
          </Fact>
        ) : null}
        <Execution view={view} />
        {row.path ? (
          <Fact name="Call path">
            <code>{row.path}</code>
          </Fact>
        ) : null}
        {view.row.layer ? (
          <Fact name="Layer">
            <Search for={`layer:${quoted(view.row.layer)}`}>{view.row.layer}</Search>
          </Fact>
        ) : null}
        <CameFrom view={view} />
        <Fact name="Device">
          <code title={row.device}>{deviceName(row.device)}</code>
          {view.asked && view.asked !== row.device ? ` (the program asked for ${deviceName(view.asked)})` : ''}
        </Fact>
        <Fact name="Time">{new Date(view.time_ns / 1e6).toISOString().replace('T', ' ').replace('Z', ' UTC')}</Fact>
        <Fact name="Thread">{view.thread}</Fact>
        <Fact name="Same tensor">
          <Search for={`name:${quoted(row.tensor)}`}>all events of {row.tensor}</Search>
        </Fact>
        <Attributes text={view.attributes} />
      </dl>
      {view.notes.map((note) => (
        <p key={note} class="event-note">
          {note}
        </p>
      ))}
    </section>
  );
}

function Execution({ view: { row } }: { readonly view: EventView }) {
  const turn = row.iteration === null ? '' : `, iteration ${iterationText(row)}`;
  if (row.execution < 0)
    return (
      <Fact name="Execution">
        none recorded caused it, step {row.step}
        {turn}
      </Fact>
    );
  return (
    <Fact name="Execution">
      <Search for={`execution:${row.execution}`}>{row.execution}</Search>,{' '}
      <Search for={`step:${row.step}`}>step {row.step}</Search>
      {turn}
    </Fact>
  );
}

function Attributes({ text }: { readonly text: string }) {
  const attributes = attributesOf(text);
  if (!attributes.length) return null;
  return (
    <Fact name="Attributes">
      <ul class="event-attributes">
        {attributes.map(([name, value]) => (
          <li key={name}>
            <code>
              {name}={value}
            </code>
          </li>
        ))}
      </ul>
    </Fact>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="event-fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Search({ for: search, children }: { readonly for: string; readonly children: ComponentChildren }) {
  return (
    <Move to={{ search }} title={`Search ${search}`}>
      {children}
    </Move>
  );
}

/** The element of an input pipeline that it was computed for, or those that the rows of a batch are. */
function CameFrom({ view: { came_from: names, first_bad_index: bad } }: { readonly view: EventView }) {
  if (!names.length) return null;
  const row = names.length > 1 ? (bad?.[0] ?? -1) : -1;
  if (names.length === 1) return <Fact name="Came from">{names[0]}</Fact>;
  return (
    <Fact name="Came from">
      {row in names ? (
        <>
          row {row}, the first that is not finite: <strong>{names[row]}</strong>
        </>
      ) : null}
      <ol class="event-rows" start={0}>
        {names.slice(0, MOST_ROWS).map((name, index) => (
          <li key={`${index} ${name}`}>{name}</li>
        ))}
      </ol>
      {names.length > MOST_ROWS ? `and ${names.length - MOST_ROWS} more rows` : ''}
    </Fact>
  );
}
