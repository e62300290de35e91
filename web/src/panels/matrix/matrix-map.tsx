/** The matrix of a run: processes down, steps across. A click, or Enter, opens a process at a step. */
import { useCallback, useMemo } from 'preact/hooks';
import type { MatrixView } from '../../api/types';
import { type Cell, CellMap } from '../../parts/cell-map';
import { go, overview } from '../../state/store';
import { COLOURS, painter, SHOWN } from './shades';
import { cellWords, legendWords } from './words';

interface MatrixMapProps {
  readonly matrix: MatrixView;
  /** One of `SHOWN`. */
  readonly shown: string;
}

export function MatrixMap({ matrix, shown }: MatrixMapProps) {
  const { rows, starts } = matrix;
  const processes = overview.value?.processes ?? [];
  const named = useMemo(
    () => rows.map(({ process }) => ({ name: process, title: `Open ${process}`, depth: 0 })),
    [rows],
  );
  const paint = useCallback(painter(matrix, shown), [matrix, shown]);
  return (
    <CellMap
      label={`${SHOWN[shown]?.about ?? shown}; Enter opens the process there`}
      rows={named}
      columns={starts.length}
      height={rowHeight(rows.length)}
      colours={COLOURS}
      paint={paint}
      words={(cell) => cellWords(matrix, processes, cell)}
      legend={legendWords(matrix, shown)}
      onOpen={(cell) => open(matrix, processes[0]?.process, cell)}
      onName={(row) => open(matrix, processes[0]?.process, [row, starts.length - 1])}
    />
  );
}

/** Of many processes each is low, so that all are seen at a glance. */
export function rowHeight(rows: number): number {
  return Math.max(4, Math.min(22, Math.floor(1000 / Math.max(1, rows))));
}

/** Goes to the event of a cell; where nothing was recorded, to the last before it. */
function open({ rows }: MatrixView, first: string | undefined, [row, column]: Cell): void {
  const shown = rows[row];
  if (!shown) return;
  const event = shown.events.slice(0, column + 1).findLast((each) => each !== null) ?? undefined;
  go({ process: shown.process === first ? '' : shown.process, event, tab: 'event', view: 'details' });
}
