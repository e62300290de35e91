/** Names the inputs of the chosen event, and where they are if the table does not show them. */
import type { EventView } from '../../api/types';
import { badSign } from '../../parts/breakdown';
import { Move } from '../../parts/move';
import { count } from '../../parts/numbers';

interface InputsLineProps {
  readonly event: EventView;
  /** The events that the table shows at the moment. */
  readonly inView: ReadonlySet<number>;
}

export function InputsLine({ event, inView }: InputsLineProps) {
  if (!event.inputs.length) return <p class="inputs">{event.row.tensor} has no inputs.</p>;
  return (
    <p class="inputs">
      <span class="inputs-of">Inputs of {event.row.tensor}:</span>
      {event.inputs.map(({ slot, tensor, row }) => {
        const name = row?.tensor ?? tensor;
        if (!row) {
          return (
            <span key={slot} class="input-name" title="This input was not recorded">
              {name} <span class="input-where">not recorded</span>
            </span>
          );
        }
        const sign = badSign(row.health);
        return (
          <Move
            key={slot}
            to={{ event: row.event }}
            class="input-name"
            title={`Input ${slot}: go to event ${count(row.event)}`}
          >
            {name}
            {sign ? <strong> {sign}</strong> : null}
            <span class="input-where">
              {inView.has(row.event) ? ' in view' : ` ${row.event < event.row.event ? '↑' : '↓'} ${count(row.event)}`}
            </span>
          </Move>
        );
      })}
    </p>
  );
}
