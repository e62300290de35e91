/** What the event was computed from, and what was computed from it. */
import type { EventView, InputRow } from '../../api/types';
import { InputLine } from '../../parts/event-line';
import { count } from '../../parts/numbers';

export function Neighbours({ view }: { readonly view: EventView }) {
  const { inputs, consumers, consumers_total: total } = view;
  return (
    <>
      <List title={`Inputs (${count(inputs.length)})`} rows={inputs} none="The operation has no inputs." slot="input" />
      <List
        title={`Consumers (${count(total)})`}
        rows={consumers}
        none="Nothing recorded takes this tensor."
        slot="its input"
      />
      {total > consumers.length ? <p class="muted">{count(total - consumers.length)} more; see the graph.</p> : null}
    </>
  );
}

interface ListProps {
  readonly title: string;
  readonly rows: readonly InputRow[];
  readonly none: string;
  readonly slot: string;
}

function List({ title, rows, none, slot }: ListProps) {
  return (
    <section class="neighbours" aria-label={title}>
      <h4>{title}</h4>
      {rows.length ? (
        <ul>
          {rows.map((row) => (
            <li key={`${row.slot} ${row.tensor} ${row.row?.event}`}>
              <InputLine input={row} slot={slot} />
            </li>
          ))}
        </ul>
      ) : (
        <p class="muted">{none}</p>
      )}
    </section>
  );
}
