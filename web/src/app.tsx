/** The page as a whole: which panel stands where. */
import { HelpDialog } from './bar/help-dialog';
import { TopBar } from './bar/top-bar';
import { DetailPanel } from './panels/detail/detail-panel';
import { EventsPanel } from './panels/events/events-panel';
import { FindingsPanel } from './panels/findings/findings-panel';
import { SourcePanel } from './panels/source/source-panel';
import { TimelinePanel } from './panels/timeline/timeline-panel';
import { Split } from './parts/split';

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
  return (
    <div class="page">
      <TopBar />
      <main class="panels">
        <Split name="findings" direction="row" label="Width of the findings" first={<FindingsPanel />} second={right} />
      </main>
      <HelpDialog />
    </div>
  );
}
