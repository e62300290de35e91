/** The page as a whole: which panel stands where. */
import { HelpDialog } from './bar/help-dialog';
import { TopBar } from './bar/top-bar';
import { PaletteDialog } from './palette/palette-dialog';
import { DetailPanel } from './panels/detail/detail-panel';
import { DiffPanel } from './panels/diff/diff-panel';
import { EventsPanel } from './panels/events/events-panel';
import { FindingsPanel } from './panels/findings/findings-panel';
import { Headline } from './panels/headline/headline';
import { ProgressPanel } from './panels/progress/progress-panel';
import { SourcePanel } from './panels/source/source-panel';
import { SqlPanel } from './panels/sql/sql-panel';
import { TimelinePanel } from './panels/timeline/timeline-panel';
import { Split } from './parts/split';
import { diffShown, overviewShown, sqlShown } from './state/choose';

/** What is shown in the place of the panels about one run's tensors. */
function shownInstead() {
  if (diffShown.value) return <DiffPanel />;
  if (sqlShown.value) return <SqlPanel />;
  return overviewShown.value ? <ProgressPanel /> : undefined;
}

export function App() {
  const eventsAndSource = (
    <Split
      name="source"
      direction="column"
      label="Height of the events"
      first={<EventsPanel />}
      second={<SourcePanel />}
    />
  );
  const below = (
    <Split name="detail" direction="row" label="Width of the events" first={eventsAndSource} second={<DetailPanel />} />
  );
  const right = (
    <Split name="timeline" direction="column" label="Height of the timeline" first={<TimelinePanel />} second={below} />
  );
  const instead = shownInstead();
  return (
    <div class="page">
      <TopBar />
      <main class="panels">
        {instead ? null : <Headline />}
        {instead ?? (
          <Split
            name="findings"
            direction="row"
            label="Width of the findings"
            first={<FindingsPanel />}
            second={right}
          />
        )}
      </main>
      <HelpDialog />
      <PaletteDialog />
    </div>
  );
}
