/** What stands in the cells of an event. */
import type { ComponentChildren } from 'preact';
import type { EventRow } from '../../api/types';
import { badSign, nonFinite } from '../../parts/breakdown';
import { HealthBar } from '../../parts/health-bar';
import { iterationText } from '../../parts/iterations';
import { count, exact, NONE, shape, short } from '../../parts/numbers';

interface Cell {
  readonly content: ComponentChildren;
  /** On hover; the content itself where it is a text. */
  readonly title?: string;
}

type Measured = 'min' | 'max' | 'mean' | 'std';

/** A device without the host, `GPU:0`. */
function device(name: string): string {
  return name.replace(/^.*device:/, '');
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function measured(row: EventRow, which: Measured): Cell {
  return { content: short(row.health?.[which]), title: exact(row.health?.[which]) };
}

function breakdownCell({ health }: EventRow): Cell {
  const bad = nonFinite(health);
  return {
    content: (
      <span class="breakdown">
        <HealthBar health={health} />
        {bad ? <span class="breakdown-bad">{`${count(bad)} ${badSign(health)}`}</span> : null}
      </span>
    ),
  };
}

const CELLS: Readonly<Record<string, (row: EventRow) => Cell>> = {
  event: (row) => ({ content: count(row.event) }),
  tensor: (row) => ({
    content: <bdi>{row.tensor}</bdi>,
    title: row.path ? `${row.tensor}, called as ${row.path}` : row.tensor,
  }),
  op: (row) => ({ content: row.op_type, title: row.op_type }),
  breakdown: breakdownCell,
  min: (row) => measured(row, 'min'),
  mean: (row) => measured(row, 'mean'),
  max: (row) => measured(row, 'max'),
  std: (row) => measured(row, 'std'),
  step: (row) => ({ content: count(row.step) }),
  iteration: (row) => ({ content: iterationText(row) || NONE }),
  shape: (row) => ({ content: shape(row.shape), title: shape(row.shape) }),
  size: (row) => ({ content: row.health ? count(row.health.size) : NONE }),
  dtype: (row) => ({ content: row.dtype }),
  function: (row) => ({ content: row.function_title || NONE, title: row.function || 'Eager: no function' }),
  layer: (row) => ({ content: row.layer ? <bdi>{row.layer}</bdi> : NONE, title: row.layer || 'In no layer' }),
  device: (row) => ({ content: device(row.device) || NONE, title: row.device }),
  source: (row) => ({
    content: row.file ? `${fileName(row.file)}:${row.line}` : NONE,
    title: row.file ? `${row.file}, line ${row.line}` : '',
  }),
  execution: (row) => ({ content: row.execution < 0 ? NONE : count(row.execution) }),
};

/** The cell of a column. */
export function cellOf(column: string, row: EventRow): Cell {
  return CELLS[column]?.(row) ?? { content: '' };
}
