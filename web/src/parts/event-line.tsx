/** One tensor event in a line: its name, what it is, and how it fares. A click chooses it. */
import type { EventRow, InputRow } from '../api/types';
import { place } from '../state/store';
import { badSign, nonFinite } from './breakdown';
import { HealthBar } from './health-bar';
import { iterationText } from './iterations';
import { Move } from './move';
import { count, counted, shape, short } from './numbers';
import './event-line.css';

interface EventLineProps {
  readonly row: EventRow;
  /** The name that it has where it is shown, if not its own. */
  readonly name?: string;
}

export function EventLine({ row, name }: EventLineProps) {
  const { health } = row;
  const current = place.value.event === row.event;
  return (
    <Move class="event-line" to={{ event: row.event }} current={current} title={eventWords(row)}>
      <span class="event-what">
        <span class="event-name">{name ?? row.tensor}</span>{' '}
        <span class="event-type">
          {row.dtype}
          {row.shape ? shape(row.shape) : ''}
        </span>
      </span>
      <HealthBar health={health} />
      <Remark row={row} />
    </Move>
  );
}

/** What one should see of an event first: what is not finite, else its zeros, else its range; of strings the first ones and their lengths. */
export function Remark({ row: { health, dtype, text } }: { readonly row: EventRow }) {
  if (!health) return <span class="remark">not measured</span>;
  if (dtype === 'string') {
    return (
      <span class="remark" title={text}>
        {`${text} ${short(health.min)} … ${short(health.max)} bytes`.trim()}
      </span>
    );
  }
  if (nonFinite(health)) {
    return (
      <span class="remark bad">
        ✕ {count(nonFinite(health))} {badSign(health)}
      </span>
    );
  }
  if (health.zero) return <span class="remark zero">{counted(health.zero, 'zero')}</span>;
  if (health.min === null || health.max === null) return null;
  return (
    <span class="remark">
      {short(health.min)} … {short(health.max)}
    </span>
  );
}

interface InputLineProps {
  readonly input: InputRow;
  /** What the slot is one of, for the words before it. */
  readonly slot?: string;
}

/** An input or a consumer, which may not have been recorded. */
export function InputLine({ input, slot }: InputLineProps) {
  return (
    <div class="input-line">
      {slot ? (
        <span class="slot" title={`${slot} ${input.slot}`}>
          {input.slot}
        </span>
      ) : null}
      {input.row ? (
        <EventLine row={input.row} name={input.tensor} />
      ) : (
        <span class="event-line unrecorded">
          <span class="event-what">
            <span class="event-name">{input.tensor}</span>{' '}
            <span class="event-type">{input.stated || input.op_type}</span>
          </span>
          <span class="remark">not recorded</span>
        </span>
      )}
      {input.elements ? <code class="input-elements">{input.elements}</code> : null}
    </div>
  );
}

/** An event in words, for a tooltip. */
function eventWords(row: EventRow): string {
  const where = [row.op_type, row.function && `in ${row.function}()`, `step ${row.step}`];
  if (row.iteration !== null) where.push(`iteration ${iterationText(row)}`);
  return `#${row.event} ${row.tensor}: ${where.filter(Boolean).join(', ')}`;
}
