/** An answer as a table; numbers of events lead to them. */
import type { AnswerTable } from '../../api/types';
import { Move } from '../../parts/move';
import { exact, NONE, short } from '../../parts/numbers';

type Cell = AnswerTable['rows'][number][number];

export function SqlTable({ answer }: { readonly answer: AnswerTable }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keys
    <section class="sql-table" tabIndex={0} aria-label="Answer">
      <table>
        <thead>
          <tr>
            {answer.columns.map(({ name, numeric }) => (
              <th key={name} scope="col" class={numeric ? 'sql-number' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {answer.rows.map((row, index) => (
            <tr key={index}>
              {answer.columns.map(({ name, numeric }, at) => (
                <td key={name} class={numeric ? 'sql-number' : ''} title={titleOf(row[at] ?? null)}>
                  <Told cell={row[at] ?? null} column={name} numeric={numeric} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface ToldProps {
  readonly cell: Cell;
  readonly column: string;
  readonly numeric: boolean;
}

function Told({ cell, column, numeric }: ToldProps) {
  if (cell === null) return <span class="muted">{NONE}</span>;
  if (column === 'event' && typeof cell === 'number') return <Move to={{ event: cell }}>{String(cell)}</Move>;
  if (numeric && typeof cell === 'number') return <>{Number.isInteger(cell) ? String(cell) : short(cell)}</>;
  return <>{String(cell)}</>;
}

function titleOf(cell: Cell): string | undefined {
  return typeof cell === 'number' ? exact(cell) : cell === null ? 'null' : String(cell);
}
