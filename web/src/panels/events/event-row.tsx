/** One row of the table. */
import type { EventRow as Row } from '../../api/types';
import { nonFinite } from '../../parts/breakdown';
import { ORIGIN_SIGN, origins } from '../../state/origins';
import { cellOf } from './cells';
import type { Column } from './columns';

interface EventRowProps {
  /** Place in the list, from 0. */
  readonly number: number;
  /** Undefined while it is on its way. */
  readonly row: Row | undefined;
  readonly columns: readonly Column[];
  readonly chosen: boolean;
  /** Whether the keyboard is here. */
  readonly active: boolean;
  /** Which input of the chosen event it is, `input 0`; empty where it is none. */
  readonly input: string;
  readonly onChoose: (number: number) => void;
}

export function EventRow({ number, row, columns, chosen, active, input, onChoose }: EventRowProps) {
  const bad = row && nonFinite(row.health) > 0;
  const origin = row !== undefined && origins.value.events.has(row.event);
  const names = [
    'events-row',
    chosen && 'row-chosen',
    active && 'row-active',
    input && 'row-input',
    bad && 'row-bad',
    origin && 'row-origin',
  ];
  const mark = [chosen ? 'chosen' : input, origin ? 'origin' : '', bad ? 'not finite' : ''].filter(Boolean).join(', ');
  const sign = origin ? ORIGIN_SIGN : bad ? '!' : '';
  return (
    <div
      id={`events-row-${number}`}
      class={names.filter(Boolean).join(' ')}
      role="row"
      aria-rowindex={number + 2}
      aria-selected={chosen}
      aria-busy={row ? undefined : 'true'}
      onClick={() => onChoose(number)}
    >
      <span class="cell cell-mark" role="gridcell" title={mark}>
        <span aria-hidden="true">
          {chosen ? '▶' : input ? '↳' : sign}
          {origin && (chosen || input) ? ORIGIN_SIGN : ''}
        </span>
        <span class="unseen">{mark}</span>
      </span>
      {columns.map((column) => {
        const { content, title } = row ? cellOf(column.name, row) : { content: '…', title: '' };
        return (
          <span
            key={column.name}
            class={column.numeric ? 'cell cell-number' : `cell cell-${column.name}`}
            role="gridcell"
            title={title}
          >
            {content}
          </span>
        );
      })}
    </div>
  );
}
