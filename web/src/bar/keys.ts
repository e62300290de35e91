/** The keys that work everywhere on the page: what each does, for the help and for the keyboard alike. */
import { signal } from '@preact/signals';
import { toggleDiff, toggleMatrix, toggleOverview, toggleSql } from '../state/choose';
import { chooseTab, goToGraphSearch, goToSearch, nextBad, nextEvent, nextFinding } from '../state/steps';
import { goOn } from '../state/store';

/** What a key is for: the troubles, the run as a whole, the chosen event, or getting around. */
export type KeyTopic = 'trouble' | 'run' | 'event' | 'around';

export interface KeyBinding {
  /** As in `KeyboardEvent.key`; any of them. */
  readonly keys: readonly string[];
  readonly does: string;
  readonly topic: KeyTopic;
  readonly run: () => void;
}

/** Whether the help is shown. */
export const helpShown = signal(false);

/** Whether the palette is shown, which leads to everything by its name. */
export const paletteShown = signal(false);

export const BINDINGS: readonly KeyBinding[] = [
  { keys: ['n'], topic: 'trouble', does: 'next finding', run: () => nextFinding(1) },
  { keys: ['p'], topic: 'trouble', does: 'previous finding', run: () => nextFinding(-1) },
  { keys: ['j'], topic: 'event', does: 'next event of the table', run: () => nextEvent(1) },
  { keys: ['k'], topic: 'event', does: 'previous event of the table', run: () => nextEvent(-1) },
  { keys: ['b'], topic: 'trouble', does: 'next event that is not finite', run: () => nextBad('forward') },
  { keys: ['B'], topic: 'trouble', does: 'previous event that is not finite', run: () => nextBad('backward') },
  { keys: ['o'], topic: 'run', does: 'the overview of the run, and back', run: toggleOverview },
  { keys: ['q'], topic: 'run', does: 'ask the tables of the run in SQL, and back', run: toggleSql },
  { keys: ['d'], topic: 'run', does: 'the run beside another, and back', run: toggleDiff },
  { keys: ['w'], topic: 'run', does: 'the processes of the run beside each other, and back', run: toggleMatrix },
  { keys: ['/'], topic: 'around', does: 'search', run: goToSearch },
  { keys: ['1'], topic: 'event', does: 'the chosen event', run: () => chooseTab('event') },
  { keys: ['2'], topic: 'event', does: 'its history', run: () => chooseTab('tensor') },
  { keys: ['3'], topic: 'event', does: 'its values', run: () => chooseTab('values') },
  { keys: ['4'], topic: 'event', does: 'its graph', run: () => chooseTab('graph') },
  { keys: ['g'], topic: 'around', does: 'find in the graph', run: goToGraphSearch },
  { keys: ['f'], topic: 'run', does: 'follow the running program', run: goOn },
  {
    keys: ['?'],
    topic: 'around',
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
