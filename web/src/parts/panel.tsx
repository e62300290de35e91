/** The frame of a panel: its title, what is set in its head, and a body that scrolls by itself. */
import type { ComponentChildren } from 'preact';
import { problem as said } from '../state/store';
import { Guard } from './guard';
import './panel.css';

interface PanelProps {
  /** As in the name of its class, `panel-NAME`. */
  readonly name: string;
  readonly title: string;
  /** Stands in the head, after the title. */
  readonly head?: ComponentChildren;
  /** A sentence instead of a blank: what went wrong with the last answer, unless the bar at the top says so. */
  readonly problem?: string | undefined;
  /** Whether an answer is on its way; it no longer is where something went wrong. */
  readonly busy?: boolean;
  readonly children?: ComponentChildren;
}

export function Panel({ name, title, head, problem, busy, children }: PanelProps) {
  return (
    <section class={`panel panel-${name}`} aria-label={title} aria-busy={busy && !problem ? 'true' : 'false'}>
      <header class="panel-head">
        <h2>{title}</h2>
        {head}
      </header>
      {problem && problem !== said.value ? (
        <p class="panel-problem" role="alert">
          {problem}
        </p>
      ) : null}
      <div class="panel-body">
        <Guard what={title}>{children}</Guard>
      </div>
    </section>
  );
}

/** A sentence where there is nothing to show. */
export function Nothing({ children }: { readonly children: ComponentChildren }) {
  return <p class="nothing">{children}</p>;
}
