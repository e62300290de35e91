/** The page as a whole: which panel stands where. */
import { EventsPanel } from './panels/events/events-panel';
import { FindingsPanel } from './panels/findings/findings-panel';
import { GraphPanel } from './panels/graph/graph-panel';
import { SourcePanel } from './panels/source/source-panel';
import { TensorPanel } from './panels/tensor/tensor-panel';
import { TimelinePanel } from './panels/timeline/timeline-panel';

export function App() {
  return (
    <main class="page">
      <FindingsPanel />
      <TimelinePanel />
      <EventsPanel />
      <TensorPanel />
      <GraphPanel />
      <SourcePanel />
    </main>
  );
}
