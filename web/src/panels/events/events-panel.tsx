/** The tensor events: what is searched for, and the table of what was found. */
import { Nothing, Panel } from '../../parts/panel';
import { problem as said } from '../../state/store';
import { ColumnChooser } from './column-chooser';
import { EventTable } from './event-table';
import './events.css';
import { Found } from './found';
import { SearchField } from './search-field';
import { useList } from './use-list';

export function EventsPanel() {
  const { shown, problem, busy } = useList();
  const head = (
    <>
      <SearchField problem={problem} />
      <Found total={shown?.pages.total.value} />
      <ColumnChooser />
    </>
  );
  return (
    <Panel name="events" title="Tensor events" head={head} busy={busy}>
      {problem && problem !== said.value ? (
        <p class="panel-problem" id="search-problem" role="alert">
          {problem}
        </p>
      ) : null}
      {shown ? <EventTable {...shown} /> : <Nothing>{problem ? 'Nothing to show.' : 'Loading the events…'}</Nothing>}
    </Panel>
  );
}
