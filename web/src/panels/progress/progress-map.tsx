/** The map of a run: layers down, steps across. A click, or Enter, goes to the tensor of a cell. */
import { useCallback, useMemo } from 'preact/hooks';
import type { ProgressView } from '../../api/types';
import { type Cell, CellMap, type Paint } from '../../parts/cell-map';
import { count, short } from '../../parts/numbers';
import { go } from '../../state/store';
import { bounds, MEASURES, said, shades } from './measures';

const ROW = 22;
const COLOURS = ['panel', 'accent', 'bad', 'fine-ground'];

export function ProgressMap({ progress }: { readonly progress: ProgressView }) {
  const { rows, starts, measure } = progress;
  const named = useMemo(
    () => rows.map(({ name, kind, depth }) => ({ name, depth, title: `${name}${kind ? `: ${kind}` : ''}` })),
    [rows],
  );
  const paint = useCallback(painter(progress), [progress]);
  const open = ([row, place]: Cell): void => {
    const event = rows[row]?.events[place];
    if (typeof event === 'number') go({ event, tab: 'tensor', view: 'details' });
  };
  return (
    <CellMap
      label={`${MEASURES[measure]?.title ?? measure} of each layer over the steps; Enter goes to the tensor`}
      rows={named}
      columns={starts.length}
      height={ROW}
      colours={COLOURS}
      paint={paint}
      words={(cell) => cellWords(progress, cell)}
      legend={legend(progress)}
      onOpen={open}
      onName={(row) => open([row, rows[row]?.events.findLastIndex((event) => event !== null) ?? -1])}
    />
  );
}

function cellWords({ rows, starts, last_step: last, measure }: ProgressView, [row, place]: Cell): string {
  const [shown, first] = [rows[row], starts[place] ?? 0];
  const end = (starts[place + 1] ?? last + 1) - 1;
  const steps = end > first ? `steps ${count(first)} to ${count(end)}, at the most` : `step ${count(first)}`;
  return `${shown?.name}, ${steps}: ${said(measure, shown?.values[place] ?? null)}`;
}

function legend({ rows, measure }: ProgressView): string {
  if (MEASURES[measure]?.scale !== 'size') return 'Point at a cell to see its number; a click goes to the tensor.';
  const [low, high] = bounds(rows.map(({ values }) => values));
  return `From ${short(low)} (pale) to ${short(high)} (strong). A click goes to the tensor.`;
}

function painter({ measure, rows }: ProgressView): (cell: Cell) => readonly Paint[] {
  const shade = shades(
    measure,
    rows.map(({ values }) => values),
  );
  const counted = MEASURES[measure]?.scale === 'count';
  return ([row, column]) => {
    const strength = shade(rows[row]?.values[column] ?? null);
    if (strength === undefined) return [];
    const ground = { colour: counted ? 'fine-ground' : 'panel', alpha: 1 };
    const front = { colour: counted ? 'bad' : 'accent', alpha: Math.min(1, strength) };
    return strength > 0 ? [ground, front] : [ground];
  };
}
