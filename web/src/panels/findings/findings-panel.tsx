/** What went wrong, each thing once: its cause, its line, what it spread to. Choosing one moves every other panel there. */
import type { Finding } from '../../api/types';
import { count } from '../../parts/numbers';
import { Nothing, Panel } from '../../parts/panel';
import { running } from '../../state/live';
import { findingsProblem } from '../../state/load';
import { findings, following, go, overview, place } from '../../state/store';
import { FindingItem } from './finding-item';
import { countLevels, type Group, grouped, LEVELS, toggled } from './sorting';
import './findings.css';

export function FindingsPanel() {
  const { value: found } = findings;
  const all = found?.findings ?? [];
  return (
    <Panel
      name="findings"
      title="Findings"
      head={all.length ? <Filters all={all} /> : null}
      problem={findingsProblem.value}
      busy={!found}
    >
      {found ? <p class="findings-summary">{found.summary}</p> : null}
      {found ? null : <Nothing>{findingsProblem.value ? 'Nothing to show.' : 'Looking for what went wrong…'}</Nothing>}
      {running.value && !following.value ? <p class="findings-paused">Paused: no new ones come in.</p> : null}
      <Groups all={all} />
      <Notes />
    </Panel>
  );
}

function Filters({ all }: { readonly all: readonly Finding[] }) {
  const counts = countLevels(all);
  const { levels, filter } = place.value;
  return (
    <>
      <div class="levels" role="group" aria-label="Levels shown">
        {LEVELS.filter(({ name }) => counts.has(name)).map(({ name, title, sign }) => (
          <button
            key={name}
            type="button"
            class={`level level-${name}`}
            aria-pressed={levels.includes(name)}
            aria-label={`${title}: ${counts.get(name)}`}
            title={`Show only: ${title.toLowerCase()}`}
            onClick={() => go({ levels: toggled(levels, name) }, 'replace')}
          >
            <span aria-hidden="true">{sign}</span> {count(counts.get(name) ?? 0)}
          </button>
        ))}
      </div>
      <input
        class="findings-filter"
        type="text"
        placeholder="Filter"
        aria-label="Filter the findings"
        value={filter}
        onInput={(event) => go({ filter: event.currentTarget.value }, 'replace')}
      />
    </>
  );
}

function Groups({ all }: { readonly all: readonly Finding[] }) {
  const { filter, levels } = place.value;
  const groups = grouped(all, filter, levels);
  if (all.length && !groups.length) {
    return (
      <Nothing>
        None of {count(all.length)} findings fits.{' '}
        <button type="button" onClick={() => go({ filter: '', levels: [] }, 'replace')}>
          Show all
        </button>
      </Nothing>
    );
  }
  return (
    <>
      {groups.map((group) => (
        <FindingGroup key={group.level.name} group={group} alone={groups.length === 1} />
      ))}
    </>
  );
}

function FindingGroup({
  group: { level, findings: there },
  alone,
}: {
  readonly group: Group;
  readonly alone: boolean;
}) {
  const chosen = there.some(({ number }) => number === place.value.finding);
  return (
    <details class={`finding-group level-${level.name}`} open={!level.folded || alone || chosen}>
      <summary>
        <span class="level-sign" aria-hidden="true">
          {level.sign}
        </span>{' '}
        {level.title} ({count(there.length)})
      </summary>
      <ol class="finding-list">
        {there.map((finding) => (
          <FindingItem key={finding.number} finding={finding} sign={level.sign} />
        ))}
      </ol>
    </details>
  );
}

/** What should be known of the recording itself. */
function Notes() {
  const notes = overview.value?.notes ?? [];
  if (!notes.length) return null;
  return (
    <details class="finding-group">
      <summary>About the recording ({count(notes.length)})</summary>
      <ul class="findings-notes">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  );
}
