/** The table of events: however long the list is, only the rows that are seen are drawn. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { answers } from '../../api/current';
import { counted } from '../../parts/numbers';
import { height, lastTop, ROW, seen, topShowing } from '../../parts/scroll/scroll';
import { useRoom } from '../../parts/scroll/use-room';
import { useScroll } from '../../parts/scroll/use-scroll';
import { keep, kept } from '../../state/kept';
import { request } from '../../state/request';
import { notice } from '../../state/steps';
import { chosen, following, go, live, place } from '../../state/store';
import { chosenColumns, leastWidth, readWidths, template, type Widths, withWidth, writeWidths } from './columns';
import { EventRow } from './event-row';
import { InputsLine } from './inputs-line';
import { TableHead } from './table-head';
import type { ShownList } from './use-list';

const MARK = 24;
const CHOOSE_MS = 70;

export function EventTable({ where, list, pages }: ShownList) {
  const box = useRef<HTMLDivElement>(null);
  const { height: room } = useRoom(box);
  const extent = { total: pages.total.value ?? 0, room: Math.max(0, room - ROW), unit: ROW };
  const { top, move } = useScroll(box, extent, () => {
    following.value = false;
  });
  const [cursor, setCursor] = useState<number>();
  // Keys may come faster than the table is drawn, and than what is to follow a drawing is done.
  const latest = useRef<number | undefined>(undefined);
  latest.current = cursor;
  const [widths, setWidths] = useState<Widths>(() => readWidths(kept('columns')));
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const version = pages.version.value;
  const event = place.value.event;
  const [first, last] = seen(top, extent);
  const columns = chosenColumns(place.value.columns);

  useEffect(() => pages.want(first, Math.max(first, last)), [pages, first, last]);
  useEffect(() => () => clearTimeout(timer.current), []);

  // An answer may come when the table has another height than when it was asked for.
  const standing = useRef({ top, extent });
  standing.current = { top, extent };
  const reveal = (row: number): void => {
    setCursor(row);
    move(topShowing(row, standing.current.top, standing.current.extent));
  };

  // The chosen event comes into view, whoever chose it; but not while the keys are on their way to another. A list that
  // was searched or sorted anew is shown from its beginning: there stands what was asked for.
  const byKeys = useRef(false);
  const former = useRef({ pages, event });
  const drawn = room > 0;
  useEffect(() => {
    const { pages: pagesBefore, event: eventBefore } = former.current;
    former.current = { pages, event };
    notice.value = '';
    if (pagesBefore !== pages && eventBefore === event && drawn) {
      setCursor(undefined);
      move(0);
      return undefined;
    }
    if (!drawn || event === undefined || byKeys.current) return undefined;
    const known = pages.find(event);
    if (known !== undefined) {
      reveal(known);
      return undefined;
    }
    return request(
      (signal) => answers.place(where, list, event, signal),
      ({ row }) => {
        if (byKeys.current) return;
        if (row !== null) reveal(row);
        else notice.value = 'The chosen event is not in this list.';
      },
      () => undefined,
    );
  }, [drawn, event, pages]);

  // What takes room from the table, as the line of the inputs that comes later does, does not hide the chosen row.
  const before = useRef(extent.room);
  useEffect(() => {
    const [above, below] = seen(top, { ...extent, room: before.current });
    const shrunk = extent.room < before.current;
    const now = latest.current;
    before.current = extent.room;
    if (shrunk && now !== undefined && now >= above && now <= below) reveal(now);
  }, [extent.room]);

  // While the program runs, the end stays in view.
  const inOrder = list.order === 'event' && !list.descending;
  const atEnd = following.value && live.value?.running === true && event === undefined && inOrder;
  useEffect(() => {
    if (atEnd) move(lastTop(extent));
  }, [atEnd, extent.total, extent.room]);

  /** Moves by the keyboard: the row is marked at once, and chosen when the keys rest and it is there. */
  const [due, setDue] = useState<number>();
  useEffect(() => {
    const row = due === undefined ? undefined : pages.row(due);
    if (!row) return;
    // Where drawing is slow, a key that came later has made another row due by now.
    setDue((now) => (now === due ? undefined : now));
    byKeys.current = timer.current !== undefined;
    go({ event: row.event }, 'replace');
  }, [due, version]);
  const step = (to: number): void => {
    const row = Math.min(Math.max(0, to), extent.total - 1);
    if (row < 0) return;
    latest.current = row;
    byKeys.current = true;
    following.value = false;
    reveal(row);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setDue(row);
    }, CHOOSE_MS);
  };
  const press = (key: KeyboardEvent): void => {
    if (key.target !== box.current || key.ctrlKey || key.metaKey || key.altKey) return;
    const now = latest.current ?? Math.ceil(top) - 1;
    const screen = Math.max(1, Math.floor(extent.room / ROW) - 1);
    const to: Readonly<Record<string, number>> = {
      ArrowDown: now + 1,
      ArrowUp: now - 1,
      PageDown: now + screen,
      PageUp: now - screen,
      Home: 0,
      End: extent.total - 1,
      Enter: now,
    };
    const row = to[key.key];
    if (row === undefined) return;
    key.preventDefault();
    key.stopPropagation();
    step(row);
  };
  const resize = (column: string, width: number | undefined): void => {
    const { [column]: _, ...others } = widths;
    const next = width === undefined ? others : withWidth(widths, column, width);
    setWidths(next);
    keep('columns', writeWidths(next) || undefined);
  };

  const view = chosen.value?.row.event === event ? chosen.value : undefined;
  const inputs = new Map(view?.inputs.flatMap(({ slot, row }) => (row ? [[row.event, `input ${slot}`]] : [])) ?? []);
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  const inView = new Set(rows.flatMap((number) => pages.row(number)?.event ?? []));
  const active = cursor !== undefined && cursor >= first && cursor <= last ? cursor : undefined;
  return (
    <>
      {view ? <InputsLine event={view} inView={inView} /> : null}
      <div
        ref={box}
        id="events"
        class="events-table"
        role="grid"
        tabIndex={0}
        aria-label="Tensor events"
        aria-rowcount={extent.total + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={active === undefined ? undefined : `events-row-${active}`}
        onKeyDown={press}
      >
        <div
          class="events-whole"
          role="presentation"
          style={{ height: `${height(extent) + ROW}px`, minWidth: `${leastWidth(columns, widths) + MARK}px` }}
        >
          <div
            class="events-window"
            role="presentation"
            style={{ height: `${room}px`, '--tracks': `${MARK}px ${template(columns, widths)}` }}
          >
            <TableHead columns={columns} list={list} onWidth={resize} />
            <div class="events-rows" role="rowgroup" style={{ transform: `translateY(${-(top - first) * ROW}px)` }}>
              {rows.map((number) => {
                const row = pages.row(number);
                return (
                  <EventRow
                    key={number}
                    number={number}
                    row={row}
                    columns={columns}
                    chosen={row !== undefined && row.event === event}
                    active={number === active}
                    input={(row && inputs.get(row.event)) ?? ''}
                    onChoose={(which) => {
                      const chosenRow = pages.row(which);
                      setCursor(which);
                      if (chosenRow) go({ event: chosenRow.event });
                    }}
                  />
                );
              })}
            </div>
          </div>
        </div>
      </div>
      {extent.total === 0 ? (
        <p class="nothing">
          {list.search ? 'Nothing fits this search. ' : nothingYet()}
          {list.search ? (
            <button type="button" onClick={() => go({ search: '' })}>
              Show all events
            </button>
          ) : null}
        </p>
      ) : null}
    </>
  );
}

function nothingYet(): string {
  const all = live.value?.tensor_events ?? 0;
  if (answers.saved && all)
    return `This saved page holds none of the ${counted(all, 'tensor event')}; \`tdbg view\` shows them.`;
  return 'No tensor events were recorded yet.';
}
