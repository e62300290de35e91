/** The head of the table: a click sorts by a column, a drag at its right edge makes it wider or narrower. */
import type { EventList } from '../../api/answers';
import { go } from '../../state/store';
import { type Column, nextOrder } from './columns';

interface TableHeadProps {
  readonly columns: readonly Column[];
  readonly list: EventList;
  readonly onWidth: (column: string, width: number | undefined) => void;
}

export function TableHead({ columns, list, onWidth }: TableHeadProps) {
  return (
    <div class="events-row events-head" role="row" aria-rowindex={1}>
      <span class="cell cell-mark" role="columnheader">
        <span class="unseen">Mark</span>
      </span>
      {columns.map((column) => (
        <Head key={column.name} column={column} list={list} onWidth={onWidth} />
      ))}
    </div>
  );
}

type HeadProps = Omit<TableHeadProps, 'columns'> & { readonly column: Column };

function Head({ column, list, onWidth }: HeadProps) {
  const sorted = column.order !== undefined && column.order === list.order;
  const direction = list.descending ? 'descending' : 'ascending';
  const resize = (event: PointerEvent): void => {
    const grip = event.currentTarget as HTMLElement;
    const from = (grip.parentElement?.offsetWidth ?? column.width) - event.clientX;
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
    const move = (moved: PointerEvent): void => onWidth(column.name, from + moved.clientX);
    grip.addEventListener('pointermove', move);
    grip.addEventListener('lostpointercapture', () => grip.removeEventListener('pointermove', move), { once: true });
  };
  return (
    <span
      class={column.numeric ? 'cell cell-number' : 'cell'}
      role="columnheader"
      aria-sort={sorted ? direction : undefined}
      title={column.about}
    >
      {column.order === undefined ? (
        column.title
      ) : (
        <button type="button" class="head-sort" onClick={() => go(nextOrder(column, list))}>
          {column.title}
          <span aria-hidden="true">{sorted ? (list.descending ? ' ▼' : ' ▲') : ''}</span>
        </button>
      )}
      <span
        class="head-grip"
        aria-hidden="true"
        title="Drag to resize; a double click gives the usual width"
        onPointerDown={resize}
        onDblClick={() => onWidth(column.name, undefined)}
      />
    </span>
  );
}
