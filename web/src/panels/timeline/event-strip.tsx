/** The tensor events of an execution in a row, in the order in which they were computed, by health. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { answers } from '../../api/current';
import type { EventRow } from '../../api/types';
import { badSign, breakdownWords } from '../../parts/breakdown';
import { count } from '../../parts/numbers';
import { ORIGIN_SIGN, origins } from '../../state/origins';
import { request } from '../../state/request';
import { go, place, where } from '../../state/store';
import { useAnswer } from '../../state/use-answer';

/** So many are shown at once. */
const PAGE = 500;

interface EventStripProps {
  readonly execution: number;
  readonly total: number;
}

export function EventStrip({ execution, total }: EventStripProps) {
  const event = place.value.event;
  const [begin, setBegin] = useState(0);
  const asked = where.value;
  const strip = useRef<HTMLDivElement>(null);
  const list = { search: `execution:${execution}`, order: 'event', descending: false };
  const { answer } = useAnswer(
    (signal) => answers.events(asked, list, begin, PAGE, signal),
    [asked, execution, begin, total],
  );
  const rows = answer?.rows.filter((row) => row.execution === execution) ?? [];
  const here = rows.some((row) => row.event === event);

  useEffect(() => {
    if (total <= PAGE) setBegin(0);
    if (total <= PAGE || event === undefined || here) return undefined;
    return request(
      (signal) => answers.place(asked, list, event, signal),
      ({ row }) => {
        if (row !== null) setBegin(Math.floor(row / PAGE) * PAGE);
      },
      () => undefined,
    );
  }, [asked, execution, event, total > PAGE]);
  useEffect(() => {
    const cell = strip.current?.querySelector<HTMLElement>('[aria-current="true"]');
    if (!cell || !strip.current) return;
    strip.current.scrollLeft = cell.offsetLeft - strip.current.clientWidth / 2;
  }, [event, rows.length, begin]);

  const press = (pressed: KeyboardEvent): void => {
    const by = pressed.key === 'ArrowRight' ? 1 : pressed.key === 'ArrowLeft' ? -1 : 0;
    const next = rows[rows.findIndex((row) => row.event === event) + by];
    if (!by || !next) return;
    pressed.preventDefault();
    pressed.stopPropagation();
    go({ event: next.event, execution });
    strip.current?.querySelector<HTMLElement>(`[data-event="${next.event}"]`)?.focus();
  };

  return (
    <div class="timeline-events">
      {total > PAGE ? (
        <Turn label="Earlier events" sign="‹" disabled={begin === 0} turn={() => setBegin(begin - PAGE)} />
      ) : null}
      <div
        ref={strip}
        class="timeline-cells"
        role="toolbar"
        aria-label={`Tensor events ${count(begin)} to ${count(Math.min(begin + PAGE, total) - 1)} of ${count(total)}`}
        onKeyDown={press}
      >
        {rows.map((row, index) => (
          <Cell
            key={row.event}
            row={row}
            chosen={row.event === event}
            focusable={here ? row.event === event : !index}
          />
        ))}
      </div>
      {total > PAGE ? (
        <Turn label="Later events" sign="›" disabled={begin + PAGE >= total} turn={() => setBegin(begin + PAGE)} />
      ) : null}
    </div>
  );
}

interface CellProps {
  readonly row: EventRow;
  readonly chosen: boolean;
  readonly focusable: boolean;
}

function Cell({ row, chosen, focusable }: CellProps) {
  const bad = badSign(row.health);
  const origin = origins.value.events.has(row.event);
  const words = `${row.tensor} (${row.op_type}), ${bad || (row.health ? 'finite' : 'not measured')}${origin ? ', origin' : ''}`;
  return (
    <button
      type="button"
      class={`timeline-cell timeline-cell-${origin ? 'origin' : bad ? 'bad' : row.health ? 'fine' : 'plain'}`}
      data-event={row.event}
      aria-label={words}
      aria-current={chosen ? 'true' : undefined}
      tabIndex={focusable ? 0 : -1}
      title={`${words}\n${breakdownWords(row.health)}`}
      onClick={() => go({ event: row.event, execution: row.execution })}
    >
      {origin ? ORIGIN_SIGN : bad ? '!' : row.op_type.replace(/^_+/, '').charAt(0)}
    </button>
  );
}

interface TurnProps {
  readonly label: string;
  readonly sign: string;
  readonly disabled: boolean;
  readonly turn: () => void;
}

function Turn({ label, sign, disabled, turn }: TurnProps) {
  return (
    <button type="button" class="timeline-turn" aria-label={label} title={label} disabled={disabled} onClick={turn}>
      {sign}
    </button>
  );
}
