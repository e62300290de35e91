/** The chosen event in full: what it is, how it fares, what it was computed from and what was computed from it. */
import type { EventView } from '../../api/types';
import { Move } from '../../parts/move';
import { Nothing } from '../../parts/panel';
import { chosenProblem } from '../../state/load';
import { nextBad, nextEvent } from '../../state/steps';
import { chosen, findings, place } from '../../state/store';
import { Facts } from './facts';
import { Health } from './health';
import { Neighbours } from './neighbours';
import './event.css';

export function EventPanel() {
  const { value: view } = chosen;
  const wanted = place.value.event;
  return (
    <section
      class="panel panel-event"
      aria-label="Event"
      aria-busy={wanted !== undefined && view?.row.event !== wanted}
    >
      {chosenProblem.value ? (
        <p class="panel-problem" role="alert">
          {chosenProblem.value}
        </p>
      ) : null}
      <div class="panel-body">
        {view && wanted !== undefined ? <Details view={view} /> : <Unchosen wanted={wanted} />}
      </div>
    </section>
  );
}

function Unchosen({ wanted }: { readonly wanted: number | undefined }) {
  if (wanted !== undefined) return chosenProblem.value ? null : <Nothing>Event {wanted} is on its way…</Nothing>;
  return (
    <Nothing>
      No event is chosen. Choose a finding, or a row of the table of events; <kbd>n</kbd> goes to the next finding,{' '}
      <kbd>j</kbd> to the next event.
    </Nothing>
  );
}

function Details({ view }: { readonly view: EventView }) {
  const { row } = view;
  return (
    <article class="event">
      <header class="event-head">
        <h3 class="event-title" title={view.op_name}>
          {row.tensor}
        </h3>
        <Steps event={row.event} />
      </header>
      <FindingLink view={view} />
      <Health view={view} />
      <Neighbours view={view} />
      <Facts view={view} />
    </article>
  );
}

function Steps({ event }: { readonly event: number }) {
  return (
    <span class="event-steps">
      <span class="muted">#{event}</span>
      <button
        type="button"
        title="Previous event of the table (k)"
        aria-label="Previous event"
        onClick={() => nextEvent(-1)}
      >
        ↑
      </button>
      <button type="button" title="Next event of the table (j)" aria-label="Next event" onClick={() => nextEvent(1)}>
        ↓
      </button>
      <button
        type="button"
        title="Next event that is not finite (b)"
        aria-label="Next event that is not finite"
        onClick={() => nextBad('forward')}
      >
        ↓✕
      </button>
    </span>
  );
}

/** The way to the finding whose origin this is; the headline tells why where that is the chosen one. */
function FindingLink({ view: { finding } }: { readonly view: EventView }) {
  const there = findings.value?.findings.find(({ number }) => number === finding);
  if (!there) return null;
  return (
    <p class={`event-finding level-${there.level}`}>
      <Move to={{ finding: there.number }}>{there.title}</Move>
      {there.explanation && there.number !== place.value.finding ? `: ${there.explanation}` : ''}
    </p>
  );
}
