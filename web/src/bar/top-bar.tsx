/** The bar at the top: what is looked at, how it fares, and the switches of the page. */
import { answers } from '../api/current';
import { count } from '../parts/numbers';
import {
  diffShown,
  hasProcesses,
  matrixShown,
  overviewShown,
  sqlShown,
  toggleDiff,
  toggleMatrix,
  toggleOverview,
  toggleSql,
} from '../state/choose';
import { iconOf } from '../state/icon';
import { liveProblem, running, unseen } from '../state/live';
import { findings, following, goOn, live, overview, place, problem } from '../state/store';
import { THEMES, theme } from '../state/theme';
import { Choosers } from './choosers';
import { helpShown, paletteShown } from './keys';
import { PanelChooser } from './panel-chooser';
import { statusOf } from './status';
import './top-bar.css';

export function TopBar() {
  const { value: run } = overview;
  const trouble = problem.value || liveProblem.value;
  return (
    <header class="bar">
      <Skip />
      <h1 class="bar-name">
        <img class="bar-mark" src={iconOf(false)} alt="" width={16} height={16} />
        tensordbg
      </h1>
      {run ? (
        <span class="bar-program" title={run.command.join(' ')}>
          {run.program.split('/').at(-1)}
        </span>
      ) : null}
      <Choosers />
      <button
        type="button"
        aria-pressed={overviewShown.value}
        title="Loss, layers and what is worth a look (o)"
        onClick={toggleOverview}
      >
        Overview
      </button>
      {hasProcesses.value ? (
        <button
          type="button"
          aria-pressed={matrixShown.value}
          title="The processes of the run over its steps: who went bad, stands still or deviates (w)"
          onClick={toggleMatrix}
        >
          Processes
        </button>
      ) : null}
      {answers.saved ? null : (
        <button
          type="button"
          aria-pressed={sqlShown.value}
          title="Ask the tables of the run in SQL (q)"
          onClick={toggleSql}
        >
          SQL
        </button>
      )}
      {answers.saved ? null : (
        <button
          type="button"
          aria-pressed={diffShown.value}
          title="Show the run beside another: where they part, and by how much (d)"
          onClick={toggleDiff}
        >
          Compare
        </button>
      )}
      <RunStatus />
      <SavedWhen />
      <Follow />
      {trouble ? (
        <p class="bar-problem" role="alert">
          {trouble}
          <button
            type="button"
            aria-label="Take this away"
            onClick={() => {
              problem.value = '';
              liveProblem.value = '';
            }}
          >
            ×
          </button>
        </p>
      ) : null}
      <span class="bar-room" />
      <span class="unseen" aria-live="polite">
        {running.value ? findings.value?.summary : ''}
      </span>
      <button
        type="button"
        title="Go to anything by its name, or do anything (Ctrl K)"
        aria-keyshortcuts="Control+K"
        onClick={() => {
          paletteShown.value = true;
        }}
      >
        Go to… <kbd>Ctrl K</kbd>
      </button>
      <PanelChooser />
      <ThemeSwitch />
      <button
        type="button"
        title="Keys and search (?)"
        onClick={() => {
          helpShown.value = true;
        }}
      >
        Help
      </button>
    </header>
  );
}

const SIGNS = { running: '▶', fine: '✓', bad: '✕' } as const;

function RunStatus() {
  const status = overview.value && statusOf(overview.value, place.value.process, live.value, findings.value?.findings);
  if (!status) return null;
  return (
    <span class={`bar-status status-${status.standing}`} title={status.details}>
      <span aria-hidden="true">{SIGNS[status.standing]}</span> {status.words}
    </span>
  );
}

/** That this is a saved page, and when and of what it was saved. */
function SavedWhen() {
  const said = answers.saved ? overview.value?.notes.find((note) => note.startsWith('saved on ')) : undefined;
  if (!said) return null;
  return (
    <span class="bar-saved" title={said}>
      {said}
    </span>
  );
}

/** While the program runs: whether the page goes along, and the way back to it. */
function Follow() {
  if (answers.saved || !running.value) return null;
  if (following.value) {
    return (
      <span class="bar-follow" title="New events and findings come in by themselves. Looking at something pauses this.">
        following
      </span>
    );
  }
  return (
    <span class="bar-follow paused">
      paused{unseen.value ? ` · ${count(unseen.value)} new events` : ''}
      <button type="button" onClick={goOn} title="Go to the newest events, and follow (f)">
        Go on
      </button>
    </span>
  );
}

function ThemeSwitch() {
  return (
    <label class="bar-theme">
      <span class="unseen">Theme</span>
      <select
        title="Theme"
        value={theme.value}
        onChange={(event) => {
          theme.value = THEMES.find((each) => each === event.currentTarget.value) ?? 'system';
        }}
      >
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {each === 'system' ? 'auto' : each}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Past the bar by one key; it is seen while the keyboard is at it. */
function Skip() {
  return (
    <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>('main')?.focus()}>
      Skip to the panels
    </button>
  );
}
