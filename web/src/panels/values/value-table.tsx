/** The elements as a table of which only what is seen is drawn. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ValuesView } from '../../api/types';
import { count, exact, short } from '../../parts/numbers';
import { height as lengthOf, ROW, scrolledAt, seen, topAt, topShowing } from '../../parts/scroll/scroll';
import { useRoom } from '../../parts/scroll/use-room';
import { useScroll } from '../../parts/scroll/use-scroll';
import type { Element, Range, ValueBlocks } from './blocks';
import { type Item, indexOf } from './slices';
import type { Cell } from './values-view';

const COLUMN = 84;
const HEAD = 64;

interface ValueTableProps {
  readonly blocks: ValueBlocks;
  readonly shown: ValuesView;
  readonly items: readonly Item[] | undefined;
  readonly cell: Cell | undefined;
  readonly onCell: (cell: Cell) => void;
  readonly onSeen: (seen: { readonly rows: Range; readonly columns: Range }) => void;
}

export function ValueTable({ blocks, shown, items, cell, onCell, onSeen }: ValueTableProps) {
  const box = useRef<HTMLDivElement>(null);
  const room = useRoom(box);
  const down = { total: shown.rows_total, room: Math.max(0, room.height - ROW), unit: ROW };
  const along = { total: shown.columns_total, room: Math.max(0, room.width - HEAD), unit: COLUMN };
  const { top, move } = useScroll(box, down, () => undefined);
  const [left, setLeft] = useState(0);
  const rows = seen(top, down);
  const columns = seen(left, along);
  const drawn = room.height > 0;

  useEffect(() => onSeen({ rows, columns }), [rows[0], rows[1], columns[0], columns[1]]);
  // The chosen element comes into view, whoever chose it.
  useEffect(() => {
    if (!drawn || !cell || !box.current) return;
    move(topShowing(cell[0], top, down));
    box.current.scrollLeft = scrolledAt(topShowing(cell[1], left, along), along);
  }, [drawn, cell?.[0], cell?.[1]]);

  const press = (event: KeyboardEvent): void => {
    const [row, column] = cell ?? [rows[0], columns[0]];
    const screen = Math.max(1, Math.floor(down.room / ROW) - 1);
    const to: Readonly<Record<string, Cell>> = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      PageDown: [row + screen, column],
      PageUp: [row - screen, column],
      Home: event.ctrlKey ? [0, 0] : [row, 0],
      End: event.ctrlKey ? [down.total - 1, along.total - 1] : [row, along.total - 1],
    };
    const next = to[event.key];
    if (!next || down.total * along.total === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const within = (at: number, total: number): number => Math.min(Math.max(0, at), total - 1);
    onCell([within(next[0], down.total), within(next[1], along.total)]);
  };

  const name = (row: number, column: number, axis: 'row' | 'column'): string => {
    if (!items) return count(axis === 'row' ? row : column);
    const ranges = items.flatMap((item, index) => (item.kind === 'range' ? [index] : []));
    const which = axis === 'column' ? ranges.at(-1) : ranges.length === 2 ? ranges[0] : undefined;
    const at = which === undefined ? undefined : indexOf(items, row, column)[which];
    return at === undefined ? '' : count(at);
  };
  const numbers = ([first, last]: Range): number[] =>
    Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  const active = cell && inRange(cell[0], rows) && inRange(cell[1], columns) ? cell : undefined;
  const tracks = `${HEAD}px repeat(${Math.max(0, columns[1] - columns[0] + 1)}, ${COLUMN}px)`;
  return (
    <div
      ref={box}
      class="value-table"
      role="grid"
      tabIndex={0}
      aria-label={`Elements of ${shown.slice}`}
      aria-rowcount={shown.rows_total + 1}
      aria-colcount={shown.columns_total + 1}
      aria-activedescendant={active ? `value-${active[0]}-${active[1]}` : undefined}
      onScroll={(event) => setLeft(topAt(event.currentTarget.scrollLeft, along))}
      onKeyDown={press}
    >
      <div
        class="value-whole"
        role="presentation"
        style={{ height: `${lengthOf(down) + ROW}px`, width: `${lengthOf(along) + HEAD}px` }}
      >
        <div
          class="value-window"
          role="presentation"
          style={{ height: `${room.height}px`, width: `${room.width}px`, '--tracks': tracks }}
        >
          <div class="value-row value-head" role="row" aria-rowindex={1}>
            <span class="value-corner" role="columnheader">
              <span class="unseen">Index</span>
            </span>
            {numbers(columns).map((column) => (
              <span
                key={column}
                role="columnheader"
                aria-colindex={column + 2}
                style={{ transform: `translateX(${-(left - columns[0]) * COLUMN}px)` }}
              >
                {name(0, column, 'column')}
              </span>
            ))}
          </div>
          <div role="rowgroup" style={{ transform: `translateY(${-(top - rows[0]) * ROW}px)` }}>
            {numbers(rows).map((row) => (
              <div key={row} class="value-row" role="row" aria-rowindex={row + 2}>
                <span class="value-name" role="rowheader">
                  {name(row, 0, 'row')}
                </span>
                {numbers(columns).map((column) => {
                  const value = blocks.element(row, column);
                  const chosen = cell?.[0] === row && cell[1] === column;
                  return (
                    <span
                      key={column}
                      id={`value-${row}-${column}`}
                      class={`value${kindOf(value)}${chosen ? ' value-chosen' : ''}`}
                      role="gridcell"
                      aria-colindex={column + 2}
                      aria-selected={chosen}
                      title={typeof value === 'number' ? exact(value) : String(value ?? '')}
                      style={{ transform: `translateX(${-(left - columns[0]) * COLUMN}px)` }}
                      onClick={() => onCell([row, column])}
                    >
                      {typeof value === 'number' ? short(value) : String(value ?? '…')}
                    </span>
                  );
                })}
              </div>
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

function inRange(at: number, [first, last]: Range): boolean {
  return at >= first && at <= last;
}

function kindOf(value: Element | undefined): string {
  if (value === 'nan' || value === 'inf' || value === '-inf') return ' value-bad';
  return value === 0 ? ' value-zero' : '';
}
