/** The page as a whole: which panel stands where. */
import type { ComponentChildren } from 'preact';
import { HelpDialog } from './bar/help-dialog';
import { TopBar } from './bar/top-bar';
import { PaletteDialog } from './palette/palette-dialog';
import { DetailPanel } from './panels/detail/detail-panel';
import { DiffPanel } from './panels/diff/diff-panel';
import { EventsPanel } from './panels/events/events-panel';
import { FindingsPanel } from './panels/findings/findings-panel';
import { Headline } from './panels/headline/headline';
import { MatrixPanel } from './panels/matrix/matrix-panel';
import { ProgressPanel } from './panels/progress/progress-panel';
import { SourcePanel } from './panels/source/source-panel';
import { SqlPanel } from './panels/sql/sql-panel';
import { MOST_AT_ONCE } from './panels/timeline/lanes';
import { whole } from './panels/timeline/state';
import { TimelinePanel } from './panels/timeline/timeline-panel';
import { Split } from './parts/split';
import { diffShown, matrixShown, overviewShown, sqlShown } from './state/choose';
import { hidden, type PanelName, type SplitName } from './state/sizes';

/** What is shown in the place of the panels about one run's tensors. */
function shownInstead() {
  if (diffShown.value) return <DiffPanel />;
  if (matrixShown.value) return <MatrixPanel />;
  if (sqlShown.value) return <SqlPanel />;
  return overviewShown.value ? <ProgressPanel /> : undefined;
}

/** A panel, unless it is hidden. */
function unlessHidden(name: PanelName, panel: ComponentChildren): ComponentChildren {
  return hidden.value.has(name) ? null : panel;
}

interface PartsProps {
  readonly name: SplitName;
  readonly direction: 'row' | 'column';
  readonly label: string;
}

/** Two parts with a bar between them; where one is hidden, the other alone. */
function parted(props: PartsProps, first: ComponentChildren, second: ComponentChildren): ComponentChildren {
  if (first === null || second === null) return first ?? second;
  return <Split {...props} first={first} second={second} />;
}

function Panels() {
  const left = parted(
    { name: 'source', direction: 'column', label: 'Height of the events' },
    unlessHidden('events', <EventsPanel />),
    unlessHidden('source', <SourcePanel />),
  );
  const below = parted(
    { name: 'detail', direction: 'row', label: 'Width of the events' },
    left,
    unlessHidden('detail', <DetailPanel />),
  );
  const right = parted(
    { name: 'timeline', direction: 'column', label: 'Height of the timeline' },
    unlessHidden('timeline', <TimelinePanel />),
    below,
  );
  return parted(
    { name: 'findings', direction: 'row', label: 'Width of the findings' },
    unlessHidden('findings', <FindingsPanel />),
    right,
  );
}

export function App() {
  const instead = shownInstead();
  const lanes = Math.min(whole.value?.lanes.length ?? 1, MOST_AT_ONCE);
  return (
    <div class="page">
      <TopBar />
      <main class="panels" tabIndex={-1} style={{ '--lanes': lanes }}>
        {instead ? null : <Headline />}
        {instead ?? <Panels />}
      </main>
      <HelpDialog />
      <PaletteDialog />
    </div>
  );
}
