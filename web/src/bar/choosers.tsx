/** Which run is looked at, and which of its processes; where there is only one there is nothing to choose. */
import { answers } from '../api/current';
import { running } from '../state/live';
import { go, overview, place } from '../state/store';
import { useAnswer } from '../state/use-answer';
import { runWords } from './run-words';

export function Choosers() {
  return (
    <>
      <RunChooser />
      <ProcessChooser />
    </>
  );
}

function RunChooser() {
  const { answer } = useAnswer((signal) => answers.runs(signal), [overview.value?.run, running.value]);
  const shown = place.value.run || overview.value?.run || '';
  if (!answer) return null;
  // A link to a run that is gone leaves a way to those that there are.
  const known = answer.runs.some(({ run }) => run === shown) || !place.value.run;
  if (known && answer.runs.length < 2) return null;
  return (
    <label class="bar-chooser">
      Run
      <select value={shown} onChange={(event) => go({ run: event.currentTarget.value })}>
        {known ? null : <option value={shown}>choose a run</option>}
        {answer.runs.map((run) => (
          <option key={run.run} value={run.run} title={run.run}>
            {runWords(run, answer.runs)}
          </option>
        ))}
      </select>
    </label>
  );
}

function ProcessChooser() {
  const processes = overview.value?.processes ?? [];
  if (processes.length < 2) return null;
  const first = processes[0]?.process ?? '';
  return (
    <label class="bar-chooser">
      Process
      <select
        value={place.value.process || first}
        onChange={(event) => go({ process: event.currentTarget.value === first ? '' : event.currentTarget.value })}
      >
        {processes.map(({ process, running: still, ended }) => (
          <option key={process} value={process}>
            {process} ({still ? 'running' : ended || 'ended'})
          </option>
        ))}
      </select>
    </label>
  );
}
