/** The keys that work everywhere on the page: what each does, for the help and for the keyboard alike. */
import { signal } from '@preact/signals';
import { toggleDiff, toggleMatrix, toggleOverview, toggleSql } from '../state/choose';
import { chooseTab, goToGraphSearch, goToSearch, nextBad, nextEvent, nextFinding } from '../state/steps';
import { goOn } from '../state/store';

export interface KeyBinding {
  /** As in `KeyboardEvent.key`; any of them. */
  readonly keys: readonly string[];
  readonly does: string;
  readonly run: () => void;
}

/** Whether the help is shown. */
export const helpShown = signal(false);

/** Whether the palette is shown, which leads to everything by its name. */
export const paletteShown = signal(false);

export const BINDINGS: readonly KeyBinding[] = [
  { keys: ['n'], does: 'next finding', run: () => nextFinding(1) },
  { keys: ['p'], does: 'previous finding', run: () => nextFinding(-1) },
  { keys: ['j'], does: 'next event of the table', run: () => nextEvent(1) },
  { keys: ['k'], does: 'previous event of the table', run: () => nextEvent(-1) },
  { keys: ['b'], does: 'next event that is not finite', run: () => nextBad('forward') },
  { keys: ['B'], does: 'previous event that is not finite', run: () => nextBad('backward') },
  { keys: ['o'], does: 'the overview of the run, and back', run: toggleOverview },
  { keys: ['q'], does: 'ask the tables of the run in SQL, and back', run: toggleSql },
  { keys: ['d'], does: 'the run beside another, and back', run: toggleDiff },
  { keys: ['w'], does: 'the processes of the run beside each other, and back', run: toggleMatrix },
  { keys: ['/'], does: 'search', run: goToSearch },
  { keys: ['1'], does: 'the chosen event', run: () => chooseTab('event') },
  { keys: ['2'], does: 'its history', run: () => chooseTab('tensor') },
  { keys: ['3'], does: 'its values', run: () => chooseTab('values') },
  { keys: ['4'], does: 'its graph', run: () => chooseTab('graph') },
  { keys: ['g'], does: 'find in the graph', run: goToGraphSearch },
  { keys: ['f'], does: 'follow the running program', run: goOn },
  {
    keys: ['?'],
    does: 'this help',
    run: () => {
      helpShown.value = true;
    },
  },
];

/** Listens from now on. Where one types, and with Ctrl, Alt or the command key, keys keep their own meaning, but for Ctrl-K. */
export function keepKeys(): void {
  window.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === 'k') {
      event.preventDefault();
      paletteShown.value = !paletteShown.peek();
      return;
    }
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || dialogShown()) return;
    const target = event.composedPath()[0];
    if (event.key === 'Escape') return leave(target);
    if (target instanceof HTMLElement && types(target)) return;
    const binding = BINDINGS.find(({ keys }) => keys.includes(event.key));
    if (!binding) return;
    event.preventDefault();
    binding.run();
  });
}

function dialogShown(): boolean {
  return helpShown.peek() || paletteShown.peek();
}

function types(element: HTMLElement): boolean {
  return element.isContentEditable || element.matches('input, select, textarea');
}

/** Escape leaves a field. */
function leave(target: EventTarget | undefined): void {
  if (target instanceof HTMLElement && types(target)) target.blur();
}
