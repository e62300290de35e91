/** An answer as a table; numbers of events lead to them. */
import type { AnswerTable } from '../../api/types';
import { Move } from '../../parts/move';
import { exact, short } from '../../parts/numbers';

/** JSON has no such numbers; the answer has words for them. */
const NOT_FINITE: Readonly<Record<string, number>> = { nan: Number.NaN, inf: Infinity, '-inf': -Infinity };

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
                <td key={name} class={numeric ? 'sql-number' : ''} title={titleOf(row[at] ?? null, numeric)}>
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
  if (cell === null) return <span class="muted">NULL</span>;
  if (column === 'event' && typeof cell === 'number') return <Move to={{ event: cell }}>{String(cell)}</Move>;
  if (numeric && typeof cell === 'number') return <>{Number.isInteger(cell) ? String(cell) : short(cell)}</>;
  return <>{numeric ? wordOf(cell) : String(cell)}</>;
}

/** A number that JSON has only as a word. */
function wordOf(cell: string | number | boolean): string {
  const word = String(cell);
  return word in NOT_FINITE ? short(NOT_FINITE[word]) : word;
}

function titleOf(cell: Cell, numeric: boolean): string | undefined {
  if (cell === null) return 'NULL';
  if (typeof cell === 'number') return exact(cell);
  return numeric ? wordOf(cell) : String(cell);
}
