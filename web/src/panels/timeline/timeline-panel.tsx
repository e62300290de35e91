/** All executions over time: a lane for each thread and device, a strip of all of the time, and what is chosen. */
import { useEffect } from 'preact/hooks';
import { Nothing, Panel } from '../../parts/panel';
import { ChosenExecution } from './chosen-execution';
import { LanesView } from './lanes-view';
import { startLoading } from './loading';
import { OverviewStrip } from './overview-strip';
import { RangeTold } from './range-told';
import { followChoice, trouble, whole } from './state';
import { TimeMarksTold } from './time-marks-told';
import { TimelineHead } from './timeline-head';
import { Tooltip } from './tooltip';
import './timeline.css';

export function TimelinePanel() {
  useEffect(() => {
    const ends = [followChoice(), startLoading()];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  const known = whole.value;
  return (
    <Panel name="timeline" title="Timeline" head={<TimelineHead />} problem={trouble.value} busy={!known}>
      <div class="timeline">
        <LanesView />
        <OverviewStrip />
        <RangeTold />
        <TimeMarksTold />
        <ChosenExecution />
        {known && known.executions === 0 ? (
          <div class="timeline-nothing">
            <Nothing>Nothing has run yet: no call of a function and no operation was recorded.</Nothing>
          </div>
        ) : null}
      </div>
      <Tooltip />
    </Panel>
  );
}
