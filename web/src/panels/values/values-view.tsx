/** A slice as a heat map above and a table below, in which the same element is chosen. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ValuesView as View } from '../../api/types';
import { exact, shape } from '../../parts/numbers';
import { useRoom } from '../../parts/scroll/use-room';
import type { Range, ValueBlocks } from './blocks';
import { drawable, drawnPart } from './heat';
import { HeatMap } from './heat-map';
import { indexOf, itemsOf, placeOf } from './slices';
import { ValueTable } from './value-table';

/** Rows and columns that are drawn at once. */
const DRAWN = 500;
/** Share of the height that the heat map may take. */
const MAP = 0.4;

/** Row and column of an element in the table. */
export type Cell = readonly [number, number];

interface ValuesViewProps {
  readonly blocks: ValueBlocks;
  readonly shown: View;
  /** Index of the first element that is not finite. */
  readonly bad: readonly number[] | undefined;
}

export function ValuesView({ blocks, shown, bad }: ValuesViewProps) {
  const items = useMemo(() => itemsOf(shown.slice, shown.shape), [shown]);
  const start = useMemo(() => (items && bad ? placeOf(items, bad) : undefined), [items, bad]);
  const box = useRef<HTMLDivElement>(null);
  const room = useRoom(box);
  const [cell, setCell] = useState<Cell | undefined>(start);
  const [seen, setSeen] = useState<{ readonly rows: Range; readonly columns: Range }>({
    rows: [0, 0],
    columns: [0, 0],
  });
  useEffect(() => setCell(start), [start]);

  const map = drawable(shown.dtype) && shown.rows_total * shown.columns_total > 1;
  const rows = drawnPart(shown.rows_total, seen.rows, DRAWN);
  const columns = drawnPart(shown.columns_total, seen.columns, DRAWN);
  const [firstRow, lastRow] = map ? rows : seen.rows;
  const [firstColumn, lastColumn] = map ? columns : seen.columns;
  useEffect(
    () => blocks.want([firstRow, Math.max(firstRow, lastRow)], [firstColumn, Math.max(firstColumn, lastColumn)]),
    [blocks, firstRow, lastRow, firstColumn, lastColumn],
  );
  blocks.version.value;

  const label = (at: Cell): string => (items ? shape(indexOf(items, ...at)) : shape(at));
  const value = cell && blocks.element(...cell);
  return (
    <div ref={box} class="values">
      {map ? (
        <HeatMap
          blocks={blocks}
          shown={shown}
          part={[rows, columns]}
          cell={cell}
          onCell={setCell}
          height={MAP * room.height}
          label={label}
        />
      ) : null}
      <output class="values-chosen">
        {cell ? (
          <>
            <code>{label(cell)}</code> is{' '}
            <strong>{typeof value === 'number' ? exact(value) : String(value ?? '…')}</strong>
          </>
        ) : (
          'Click an element to see it in full.'
        )}
      </output>
      <ValueTable blocks={blocks} shown={shown} items={items} cell={cell} onCell={setCell} onSeen={setSeen} />
    </div>
  );
}
