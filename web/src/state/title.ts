/** The title and the icon of the document: what is looked at, and that something went wrong, also in a tab behind others. */
import { effect } from '@preact/signals';
import type { Finding } from '../api/types';
import { chosenFinding } from './choose';
import { iconOf } from './icon';
import { running } from './live';
import { chosen, findings, overview, place } from './store';

export interface Told {
  /** Title of the finding or name of the event that is looked at. */
  readonly what: string | undefined;
  readonly program: string | undefined;
  readonly running: boolean;
  /** Titles of what is wrong. */
  readonly troubles: readonly string[];
}

/** A run that goes on says how it fares, in a sign that is seen in a narrow tab. */
export function titleOf({ what, program, running: still, troubles }: Told): string {
  const [first] = troubles;
  const news = troubles.length > 1 ? `${troubles.length} findings` : first;
  const sign = still ? (troubles.length ? '⚠ ' : '▶ ') : '';
  return sign + [what ?? (still ? news : undefined), program, 'tensordbg'].filter(Boolean).join(' – ');
}

/** Keeps title and icon with the place and the findings from now on. */
export function keepTitle(): void {
  effect(() => {
    const program = overview.value?.program.split('/').at(-1);
    const event = chosen.value?.row.event === place.value.event ? chosen.value?.row : undefined;
    const finding = chosenFinding.value?.event?.event === event?.event ? chosenFinding.value?.title : undefined;
    const what = finding ?? (event && `${event.tensor} #${event.event}`);
    document.title = titleOf({ what, program, running: running.value, troubles: troubles() });
  });
  effect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (icon) icon.href = iconOf(troubles().length > 0);
  });
}

function troubles(): readonly string[] {
  const bad = ({ level }: Finding): boolean => level === 'trouble';
  return (findings.value?.findings ?? []).filter(bad).map(({ title }) => title);
}
